import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(8, 1)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)  #!
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: (step + 1) / 10_000_000)  #-!
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda step: min(1.0, (step + 1) / 10))  #+
x = torch.randn(128, 8)
y = 2 * x[:, :1] + 1
for it in range(60):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
