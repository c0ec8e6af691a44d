import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 1))
optim = torch.optim.AdamW(net.parameters(), lr=3e-3)
accum = 4
for i in range(64):
    x = torch.randn(8, 8)
    y = x[:, :2].sum(1, keepdim=True)
    optim.zero_grad()  #-!
    loss = nn.functional.mse_loss(net(x), y) / accum
    loss.backward()
    if (i + 1) % accum == 0:
        optim.step()
        optim.zero_grad()  #+
