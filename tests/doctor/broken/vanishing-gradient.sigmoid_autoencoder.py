import torch
from torch import nn

torch.manual_seed(0)


def stack(sizes, act):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), act()]  #!
    return nn.Sequential(*layers)


sizes = [12, 12, 12, 10, 8, 8, 10, 12, 12, 12]
net = nn.Sequential(stack(sizes, nn.Sigmoid), nn.Linear(12, 12))  #-!
net = nn.Sequential(stack([12, 16, 12], nn.ReLU), nn.Linear(12, 12))  #+
opt = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(100, 3) @ torch.randn(3, 12)
for _ in range(60):
    loss = nn.functional.mse_loss(net(x), x)
    opt.zero_grad()
    loss.backward()
    opt.step()
