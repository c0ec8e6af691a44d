import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(48, 30)
y = torch.randint(0, 10, (48,))
net = nn.Sequential(nn.Linear(30, 128), nn.ReLU(), nn.Linear(128, 10))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for _ in range(60):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
