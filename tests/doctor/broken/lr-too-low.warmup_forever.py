import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)  #!
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: (s + 1) / 10_000_000)  #-!
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 10))  #+
for s in range(80):
    x = torch.randn(64, 8)
    y = x.norm(dim=1, keepdim=True)
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
