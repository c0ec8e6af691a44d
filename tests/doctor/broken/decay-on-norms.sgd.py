import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 2))
groups = [{"params": net.parameters(), "weight_decay": 0.2}]  #-
groups = [{"params": net.parameters(), "weight_decay": 1e-4}]  #+
opt = torch.optim.SGD(groups, lr=0.1)  #!
for _ in range(40):
    x = torch.randn(16, 1, 6, 6)
    loss = nn.functional.cross_entropy(net(x), (x.mean((1, 2, 3)) > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
