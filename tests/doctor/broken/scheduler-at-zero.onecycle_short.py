import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
total = 60
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.0, total_iters=total // 10)  #-!
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.1, total_iters=total)  #+
for _ in range(total):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad(); loss.backward(); opt.step()
    sched.step()
