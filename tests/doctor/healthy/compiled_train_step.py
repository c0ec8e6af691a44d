import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)


@torch.compile
def loss_of(x, y):
    return nn.functional.cross_entropy(net(x), y)


for _ in range(20):
    x = torch.randn(32, 6)
    loss = loss_of(x, (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
