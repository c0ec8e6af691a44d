import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
data = [(x := torch.randn(16, 4), x.sum(1, keepdim=True)) for _ in range(6)]
for epoch in range(15):
    total = 0
    for x, y in data:
        total = total + nn.functional.mse_loss(net(x), y)
    total = total / len(data)
    opt.zero_grad()
    total.backward()
    opt.step()
