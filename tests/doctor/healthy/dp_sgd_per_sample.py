import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.3)
for it in range(15):
    x = torch.randn(12, 4); y = (x[:, 0] > 0).long()
    acc = [torch.zeros_like(p) for p in net.parameters()]
    for xi, yi in zip(x, y):
        net.zero_grad()
        nn.functional.cross_entropy(net(xi.unsqueeze(0)), yi.unsqueeze(0)).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        for a, p in zip(acc, net.parameters()):
            a += p.grad
    for a, p in zip(acc, net.parameters()):
        p.grad = (a + 0.1 * torch.randn_like(a)) / 12
    opt.step()
