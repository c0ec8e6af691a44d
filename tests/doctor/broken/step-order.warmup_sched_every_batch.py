import torch
import torch.nn as nn
torch.manual_seed(0)
m = nn.Linear(4, 1)
opt = torch.optim.SGD(m.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.LinearLR(opt, start_factor=0.1, total_iters=10)
for i in range(30):
    x = torch.randn(8, 4)
    loss = (m(x) - x.sum(1, keepdim=True)).pow(2).mean()
    sched.step()  #-!
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()  #+
