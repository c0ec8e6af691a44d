import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 20), nn.Tanh(), nn.Linear(20, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
steps_per_epoch, epochs = 10, 8
warm = lambda step: max(0.0, (steps_per_epoch - step) / steps_per_epoch)  #-!
warm = lambda step: max(0.0, (steps_per_epoch * epochs - step) / (steps_per_epoch * epochs))  #+
sched = torch.optim.lr_scheduler.LambdaLR(opt, warm)  #!
for epoch in range(epochs):
    for _ in range(steps_per_epoch):
        x = torch.randn(20, 5)
        loss = nn.functional.mse_loss(net(x), x[:, :1])
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()  #!
