import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
total = 15  #-
total = 120  #+
sched = torch.optim.lr_scheduler.LinearLR(opt, start_factor=1.0, end_factor=0.0, total_iters=total)  #!
for it in range(120):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(net(x), x[:, :1].abs())
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()  #!
