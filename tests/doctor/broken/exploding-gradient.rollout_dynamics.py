import torch
from torch import nn

torch.manual_seed(0)
f = nn.Linear(4, 4)
nn.init.orthogonal_(f.weight, gain=2.5)  #-!
nn.init.orthogonal_(f.weight)  #+
opt = torch.optim.SGD(f.parameters(), lr=1e-3)
for _ in range(15):
    s = torch.randn(32, 4)
    target = -s
    for t in range(25):
        s = f(s)  #!
    loss = (s - target).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
