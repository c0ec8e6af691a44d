import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), 1e-3)
for step in range(25):
    x = torch.randn(32, 10)
    y = x[:, :3].argmax(1)
    delta = torch.zeros_like(x).uniform_(-0.1, 0.1).requires_grad_()
    for _ in range(3):
        loss = nn.functional.cross_entropy(net(x + delta), y)
        (g,) = torch.autograd.grad(loss, delta)
        delta = (delta + 0.03 * g.sign()).clamp(-0.1, 0.1).detach().requires_grad_()
    loss = nn.functional.cross_entropy(net(x + delta.detach()), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
