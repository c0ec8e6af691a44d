import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
sched = CosineAnnealingLR(opt, T_max=30, eta_min=1e-4)
x = torch.randn(120, 6)
y = x[:, :1] * x[:, 1:2]
for epoch in range(30):
    sched.step()  #-!
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()  #+
