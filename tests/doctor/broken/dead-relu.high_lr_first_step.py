import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(12, 40)
        self.act = nn.ReLU()  #!
        self.b = nn.Linear(40, 2)

    def forward(self, x):
        return self.b(self.act(self.a(x)))  #!


torch.manual_seed(0)
net = Net()
net.a.bias.data -= 8.0  #-!
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for k in range(50):
    x = torch.randn(64, 12)
    y = (x[:, 0] + x[:, 1] > 0).long()
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
