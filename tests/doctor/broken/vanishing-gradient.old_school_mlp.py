import torch
from torch import nn


def mlp(sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.Sigmoid()]  #-!
        layers += [nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU()]  #+
    return nn.Sequential(*layers[:-1])  #-
    return nn.Sequential(*layers[:-2])  #+


torch.manual_seed(0)
net = mlp([10, 32, 32, 32, 32, 32, 32, 32, 3])  #!
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
for step in range(60):
    x = torch.randn(32, 10)
    y = x[:, :3].argmax(1)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
