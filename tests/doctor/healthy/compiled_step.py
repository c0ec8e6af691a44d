import torch
from torch import nn

torch.manual_seed(0)
net = torch.compile(nn.Sequential(nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 2)))
opt = torch.optim.AdamW(net.parameters(), lr=1e-2)
for _ in range(30):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
