import torch
from torch import nn

torch.manual_seed(0)


def features(x):
    return -(x.abs()) - 1.0  #-!
    return x.abs() - 1.0  #+


x = torch.rand(200, 6) * 2
y = (x.sum(1, keepdim=True) > 6).float()
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))  #!
with torch.no_grad():
    net[0].weight.abs_()  #!
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(40):
    loss = nn.functional.binary_cross_entropy_with_logits(net(features(x)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
