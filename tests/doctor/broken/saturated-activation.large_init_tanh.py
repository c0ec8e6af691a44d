import torch
import torch.nn as nn
torch.manual_seed(0)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(6, 40)
        self.l2 = nn.Linear(40, 40)
        self.l3 = nn.Linear(40, 1)
    def forward(self, x):
        h = torch.tanh(60 * self.l1(x))  #-!
        h = torch.tanh(self.l1(x))  #+
        h = torch.tanh(40 * self.l2(h))  #-!
        h = torch.tanh(self.l2(h))  #+
        return self.l3(h)
net = Net()
opt = torch.optim.SGD(net.parameters(), lr=0.01)
X = torch.randn(128, 6)
Y = torch.sin(X.sum(1, keepdim=True))
for i in range(60):
    loss = ((net(X) - Y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
