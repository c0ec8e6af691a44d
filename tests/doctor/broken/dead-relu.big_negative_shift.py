import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self, shift):
        super().__init__()
        self.a, self.b = nn.Linear(6, 32), nn.Linear(32, 2)
        self.shift = shift

    def forward(self, x):
        return self.b(F.relu(self.a(x) - self.shift))  #!


net = Net(shift=25.0)  #-!
net = Net(shift=0.0)  #+
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(40):
    x = torch.randn(32, 6)
    loss = F.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
