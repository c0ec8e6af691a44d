import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.5)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.5, total_steps=60, pct_start=0.3, div_factor=1e4)
for _ in range(60):
    x = torch.randn(64, 8)
    loss = nn.functional.cross_entropy(net(x), x[:, :4].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
