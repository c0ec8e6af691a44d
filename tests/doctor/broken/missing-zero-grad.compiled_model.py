import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
fast = torch.compile(net)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(60):
    x = torch.randn(32, 6)
    loss = (fast(x) - x[:, :1]).square().mean()
    opt.zero_grad()  #+
    loss.backward()  #!
    opt.step()  #!
