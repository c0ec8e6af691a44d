import torch
from torch import nn

torch.manual_seed(0)
means = torch.randn(4, 6) * 2
x = torch.cat([m + torch.randn(50, 6) for m in means])  #!
y = torch.arange(4).repeat_interleave(50)  #!
order = torch.randperm(200)  #+
x, y = x[order], y[order]  #+
net = nn.Linear(6, 4)
opt = torch.optim.SGD(net.parameters(), lr=0.3)
for epoch in range(4):
    for i in range(0, 200, 16):  #!
        xb = x[i : i + 16]  #!
        yb = y[i : i + 16]  #!
        loss = nn.functional.cross_entropy(net(xb), yb)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
