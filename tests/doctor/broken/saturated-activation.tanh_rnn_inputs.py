import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(6, 32)
        self.l2 = nn.Linear(32, 32)
        self.l3 = nn.Linear(32, 1)

    def forward(self, x):
        h = torch.tanh(self.l1(x) * 60)  #-!
        h = torch.tanh(self.l1(x))  #+
        h = torch.tanh(self.l2(h) * 60)  #-!
        h = torch.tanh(self.l2(h))  #+
        return self.l3(h)


torch.manual_seed(0)
n = Net()
opt = torch.optim.SGD(n.parameters(), lr=1e-3)  #-
opt = torch.optim.SGD(n.parameters(), lr=0.05)  #+
for i in range(60):
    x = torch.randn(64, 6)
    y = (x[:, :1] * x[:, 1:2]).sin()  #-
    y = x[:, :1]  #+
    loss = nn.functional.mse_loss(n(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
