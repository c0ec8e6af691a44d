import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 16, 2))
norm = [p for m in net if isinstance(m, nn.BatchNorm2d) for p in m.parameters()]  #+
other = [p for m in net if not isinstance(m, nn.BatchNorm2d) for p in m.parameters()]  #+
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=0.3)  #-!
opt = torch.optim.SGD([{"params": other, "weight_decay": 1e-3}, {"params": norm}], lr=0.05)  #+
for _ in range(40):
    y = torch.randint(0, 2, (24,))
    x = torch.randn(24, 1, 6, 6) + y.view(-1, 1, 1, 1)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
