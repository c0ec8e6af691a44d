import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(64, 5)
x[17, 3] = float("nan")
x = torch.nan_to_num(x)  #+
y = x[:, :1]
net = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(6):
    for i in range(0, 64, 16):
        out = net(x[i : i + 16])  #!
        loss = (out - y[i : i + 16]).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
