import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv1d(2, 8, 3), nn.GroupNorm(2, 8), nn.SiLU(), nn.Flatten(), nn.Linear(64, 1))
cfg = dict(lr=2e-2, weight_decay=0.8)
decay = [p for p in net.parameters() if p.ndim > 1]  #+
plain = [p for p in net.parameters() if p.ndim <= 1]  #+
opt = torch.optim.AdamW(net.parameters(), **cfg)  #-!
opt = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}], lr=5e-3)  #+
for _ in range(60):
    x = torch.randn(24, 2, 10)
    loss = nn.functional.mse_loss(net(x), x[:, 0].mean(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
