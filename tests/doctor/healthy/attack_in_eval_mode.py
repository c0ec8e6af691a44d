import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), 0.1)
for i in range(30):
    x = torch.randn(32, 10)
    y = (x[:, 0] + x[:, 1] > 0).long()
    net.eval()
    d = torch.zeros_like(x, requires_grad=True)
    for _ in range(3):
        F.cross_entropy(net(x + d), y).backward()
        d.data = (d + 0.05 * d.grad.sign()).clamp(-0.1, 0.1)
        d.grad.zero_()
    net.train()
    opt.zero_grad()
    F.cross_entropy(net(x + d.detach()), y).backward()
    opt.step()
