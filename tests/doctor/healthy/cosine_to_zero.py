import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 2)
opt = torch.optim.AdamW(net.parameters(), lr=0.05, weight_decay=0.01)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=40)
for _ in range(40):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
