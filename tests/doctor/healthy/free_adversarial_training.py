import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
delta = torch.zeros(32, 10)
for step in range(15):
    x = torch.randn(32, 10)
    y = (x[:, 0] > 0).long()
    for _ in range(3):
        d = delta.clone().requires_grad_()
        loss = nn.functional.cross_entropy(net(x + d), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        delta = (delta + 0.05 * d.grad.sign()).clamp(-0.1, 0.1)
