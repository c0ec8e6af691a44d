import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
x = torch.randn(64, 5)
y = (x[:, 0] > x[:, 1]).long()
for _ in range(20):
    nn.functional.cross_entropy(net(x), y).backward()
    with torch.no_grad():
        norm = sum(p.grad.pow(2).sum() for p in net.parameters()).sqrt()
        moves = [0.05 * p.grad / (norm + 1e-12) for p in net.parameters()]
        for p, m in zip(net.parameters(), moves):
            p.add_(m)
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    with torch.no_grad():
        for p, m in zip(net.parameters(), moves):
            p.sub_(m)
    opt.step()
    opt.zero_grad()
