import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1 = nn.Linear(12, 64)
        self.l2 = nn.Linear(64, 64)
        self.l3 = nn.Linear(64, 2)
        nn.init.constant_(self.l2.bias, -6.0)  #-!

    def forward(self, x):
        x = torch.relu(self.l1(x))
        x = torch.relu(self.l2(x))  #!
        return self.l3(x)


torch.manual_seed(0)
net = Net()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(40):
    x = torch.randn(32, 12)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
