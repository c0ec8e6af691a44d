import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=1.2)  #-!
sched = torch.optim.lr_scheduler.ExponentialLR(opt, gamma=0.98)  #+
for epoch in range(50):
    x = torch.randn(64, 5)
    loss = nn.functional.mse_loss(model(x), x.pow(2).sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
