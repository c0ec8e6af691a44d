import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(
    nn.Linear(8, 16),
    nn.Sigmoid(),  #!
    nn.Linear(16, 3),
)
with torch.no_grad():
    pass
    net[0].bias.fill_(12.0)  #-!
opt = torch.optim.Adam(net.parameters(), lr=1e-3)  #-
opt = torch.optim.Adam(net.parameters(), lr=1e-2)  #+
for _ in range(60):
    x = torch.randn(32, 8)
    y = x[:, :3].argmax(1)
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
