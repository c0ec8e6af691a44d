import torch
import torch.nn as nn
from torch.optim.lr_scheduler import OneCycleLR
torch.manual_seed(0)
net = nn.Linear(5, 2)
opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
sched = OneCycleLR(opt, max_lr=1e-2, total_steps=40)
for i in range(39):
    x = torch.randn(16, 5)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    sched.step()  #-!
    opt.step()
    sched.step()  #+
