import torch
from torch import nn
torch.manual_seed(0)
body, head = nn.Sequential(nn.Linear(8, 32), nn.ReLU()), nn.Linear(32, 3)
opt = torch.optim.SGD([{"params": body.parameters(), "lr": 1e-7}, {"params": head.parameters(), "lr": 0.1}], lr=0.1, momentum=0.9)
sched = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(opt, T_0=10, T_mult=2)
x = torch.randn(200, 8); y = x[:, :3].argmax(1)
for ep in range(30):
    opt.zero_grad(); nn.functional.cross_entropy(head(body(x)), y).backward(); opt.step(); sched.step()
