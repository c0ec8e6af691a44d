import torch
import torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(5, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.SGD(m.parameters(), lr=1e-7)  #-!
opt = torch.optim.SGD(m.parameters(), lr=1e-1)  #+
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=100)
x = torch.randn(64, 5)
y = x.sum(1, keepdim=True)
for i in range(100):
    loss = nn.functional.mse_loss(m(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
