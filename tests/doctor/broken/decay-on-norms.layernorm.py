import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.AdamW(net.parameters(), lr=0.05, weight_decay=0.5)  #-!
opt = torch.optim.AdamW(net.parameters(), lr=0.05, weight_decay=1e-4)  #+
for _ in range(40):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
