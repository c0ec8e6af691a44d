import torch
from torch import nn


def init_weights(module):
    if isinstance(module, nn.Linear):
        module.weight.data.zero_()  #-!
        nn.init.normal_(module.weight, std=0.3)  #+
        module.bias.data.zero_()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 10), nn.ReLU(), nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 1))  #!
net.apply(init_weights)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(20):
    x = torch.randn(50, 4)
    loss = (net(x) - x.abs().sum(1, keepdim=True)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
