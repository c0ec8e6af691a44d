import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.GELU(), nn.Linear(16, 1))
opt = torch.optim.AdamW(net.parameters(), lr=0.02, weight_decay=2.0)  #-!
opt = torch.optim.AdamW(net.parameters(), lr=0.02, weight_decay=0.01)  #+
for _ in range(40):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(net(x), x[:, :1] * 0.1)
    opt.zero_grad()
    loss.backward()
    opt.step()
