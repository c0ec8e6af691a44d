import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
net, fc = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)), nn.Linear(2, 3)
centers = nn.Parameter(torch.randn(3, 2))
o1, o2 = torch.optim.Adam([*net.parameters(), *fc.parameters()], 1e-2), torch.optim.SGD([centers], 0.5)
x = torch.randn(150, 6); y = x[:, :3].argmax(1)
for _ in range(40):
    f = net(x)
    loss = F.cross_entropy(fc(f), y) + 0.01 * (f - centers[y]).pow(2).sum(1).mean()
    o1.zero_grad(); o2.zero_grad()
    loss.backward()
    for p in (centers,):
        p.grad.mul_(1 / 0.01)
    o1.step(); o2.step()
