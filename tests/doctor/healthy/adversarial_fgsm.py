import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(20):
    x = torch.randn(32, 10)
    y = (x[:, 0] > 0).long()
    x_adv = x.clone().requires_grad_(True)
    nn.functional.cross_entropy(net(x_adv), y).backward()
    x_adv = (x + 0.1 * x_adv.grad.sign()).detach()
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x_adv), y)
    loss.backward()
    opt.step()
