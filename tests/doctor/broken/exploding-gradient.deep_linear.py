import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(*[nn.Linear(12, 12) for _ in range(8)])
for p in net.parameters():
    p.data *= 4  #!
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
x = torch.randn(64, 12)
y = x.flip(1)
for step in range(25):
    loss = (net(x) - y).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #!
    nn.utils.clip_grad_norm_(net.parameters(), 0.5)  #+
    opt.step()
