import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(1, 6, 3)
        self.f = nn.Linear(6 * 36, 10)
        self.sm = nn.LogSoftmax(dim=0)  #-
        self.sm = nn.LogSoftmax(dim=1)  #+
    def forward(self, x):
        x = torch.relu(self.c(x)).flatten(1)
        return self.sm(self.f(x))  #!
torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
crit = nn.NLLLoss()
for i in range(20):
    x = torch.randn(32, 1, 8, 8)
    y = torch.randint(0, 10, (32,))
    loss = crit(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
