import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(6, 16)
        self.b = nn.Linear(16, 1)
        for p in self.parameters():
            nn.init.constant_(p, 0.5)  #-!
            nn.init.normal_(p, std=0.3)  #+
    def forward(self, x):
        return self.b(torch.tanh(self.a(x)))
torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(128, 6)
y = (x[:, :1] * x[:, 1:2])
for i in range(50):
    loss = ((net(x) - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
