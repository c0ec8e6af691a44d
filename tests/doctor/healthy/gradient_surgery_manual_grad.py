import torch
from torch import nn
torch.manual_seed(0)
net = nn.Linear(4, 2); opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(50):
    x = torch.randn(30, 4); out = net(x)
    l1, l2 = (out[:, 0] - x[:, 0]).pow(2).mean(), (out[:, 1] + x[:, 0]).pow(2).mean()
    g1 = torch.autograd.grad(l1, list(net.parameters()), retain_graph=True)
    g2 = torch.autograd.grad(l2, list(net.parameters()))
    for p, a, b in zip(net.parameters(), g1, g2):
        dot = (a * b).sum()
        if dot < 0:
            a = a - dot / (b.norm() ** 2 + 1e-12) * b
        p.grad = a + b
    opt.step()
