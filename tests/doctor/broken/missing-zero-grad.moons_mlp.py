import math
import torch
import torch.nn as nn

torch.manual_seed(0)


def two_moons(n):
    t = torch.rand(n) * math.pi
    a = torch.stack([torch.cos(t), torch.sin(t)], 1)
    b = torch.stack([1 - torch.cos(t), 0.5 - torch.sin(t)], 1)
    x = torch.cat([a, b]) + 0.1 * torch.randn(2 * n, 2)
    return x, torch.cat([torch.zeros(n), torch.ones(n)]).long()


x, y = two_moons(100)
net = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
criterion = nn.CrossEntropyLoss()
for epoch in range(60):
    pred = net(x)
    loss = criterion(pred, y)
    opt.zero_grad()  #+
    loss.backward()  #!
    opt.step()  #!
    if epoch % 20 == 0:
        print(f"epoch {epoch}: {loss.item():.3f}")
