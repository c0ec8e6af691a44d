import torch
from torch import nn


def get_optimizer(params):
    return torch.optim.SGD(params, lr=1e-9)  #-!
    return torch.optim.SGD(params, lr=1e-2)  #+


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
optimizer = get_optimizer(net.parameters())
x = torch.randn(96, 6)
y = x[:, :3].argmax(1)
for epoch in range(15):
    for i in range(0, 96, 32):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(net(x[i : i + 32]), y[i : i + 32])
        loss.backward()
        optimizer.step()
