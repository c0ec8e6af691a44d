import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
epochs, per_epoch = 5, 12
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.0, total_iters=epochs)  #-!
sched = torch.optim.lr_scheduler.LinearLR(opt, 1.0, 0.0, total_iters=epochs * per_epoch)  #+
for epoch in range(epochs):
    for _ in range(per_epoch):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
