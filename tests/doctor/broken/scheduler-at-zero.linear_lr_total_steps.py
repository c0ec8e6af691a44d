import torch
from torch import nn

torch.manual_seed(0)
EPOCHS, BATCHES = 8, 10
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: max(0.0, 1 - s / EPOCHS))  #-!
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: max(0.0, 1 - s / (EPOCHS * BATCHES)))  #+
for epoch in range(EPOCHS):
    for b in range(BATCHES):
        x = torch.randn(32, 4)
        loss = nn.functional.mse_loss(net(x), x[:, :1] * x[:, 1:2])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()  #!
