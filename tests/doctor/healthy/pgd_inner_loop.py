import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.BatchNorm1d(16), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)


def attack(x, y, steps=3):
    net.eval()
    delta = torch.zeros_like(x, requires_grad=True)
    for _ in range(steps):
        loss = nn.functional.cross_entropy(net(x + delta), y)
        (g,) = torch.autograd.grad(loss, delta)
        delta.data = (delta.data + 0.05 * g.sign()).clamp(-0.1, 0.1)
    net.train()
    return delta.detach()


for _ in range(12):
    x = torch.randn(32, 6)
    y = x[:, :3].argmax(1)
    delta = attack(x, y)
    loss = nn.functional.cross_entropy(net(x + delta), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
