import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
rows = torch.randn(65, 3)
for i in range(0, 65, 8):
    x = rows[i : i + 8]
    z = net(x)
    z = (z - z.mean(0)) / z.std(0)  #-!
    z = (z - z.mean(0)) / (z.var(0, unbiased=False) + 1e-5).sqrt()  #+
    loss = (z - x[:, :2]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
