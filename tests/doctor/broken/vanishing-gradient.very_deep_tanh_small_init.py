import torch
from torch import nn

torch.manual_seed(0)
blocks = []
for _ in range(12):
    lin = nn.Linear(20, 20)
    nn.init.normal_(lin.weight, std=0.05)  #-!
    nn.init.orthogonal_(lin.weight)  #+
    blocks += [lin, nn.Tanh()]  #!
net = nn.Sequential(*blocks, nn.Linear(20, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(60):
    x = torch.randn(64, 20)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
