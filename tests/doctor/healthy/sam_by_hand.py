import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 3))
opt = torch.optim.SGD(net.parameters(), 0.1, momentum=0.9)
rho = 0.05
for i in range(30):
    x = torch.randn(32, 6)
    y = x[:, :3].argmax(1)
    nn.functional.cross_entropy(net(x), y).backward()
    with torch.no_grad():
        norm = torch.norm(torch.stack([p.grad.norm() for p in net.parameters()]))
        eps = []
        for p in net.parameters():
            e = p.grad * rho / (norm + 1e-12)
            p.add_(e)
            eps.append(e)
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    with torch.no_grad():
        for p, e in zip(net.parameters(), eps):
            p.sub_(e)
    opt.step()
    opt.zero_grad()
