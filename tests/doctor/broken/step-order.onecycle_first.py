import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
sched = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=0.1, total_steps=45)
for step in range(40):
    x = torch.randn(16, 1, 6, 6)
    y = (x.sum((1, 2, 3)) > 0).long()
    sched.step()  #-!
    opt.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    opt.step()
    sched.step()  #+
