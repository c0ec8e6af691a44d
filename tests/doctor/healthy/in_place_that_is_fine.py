import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(inplace=True), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(15):
    x = torch.randn(12, 1, 8, 8)
    y = (x.mean((1, 2, 3)) > 0).long()
    out = net(x)
    out += 0.1
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
