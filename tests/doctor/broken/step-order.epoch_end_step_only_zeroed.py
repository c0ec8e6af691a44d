import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
data = [torch.randn(16, 5) for _ in range(6)]
for epoch in range(8):
    for x in data:
        loss = (net(x) - x[:, :1]).pow(2).mean()
        opt.zero_grad()  #!
        loss.backward()
        opt.step()  #+
    opt.step()  #-!
