import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), 5e-3)
for _ in range(50):
    x = torch.randn(32, 10)
    y = (x[:, 0] > 0).long()
    delta = torch.zeros_like(x, requires_grad=True)
    nn.functional.cross_entropy(net(x + delta), y).backward()
    adv = (x + 0.05 * delta.grad.sign()).detach()
    opt.zero_grad()
    nn.functional.cross_entropy(net(adv), y).backward()
    opt.step()
