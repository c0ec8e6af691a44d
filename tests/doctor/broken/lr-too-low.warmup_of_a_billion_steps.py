import torch
from torch import nn

torch.manual_seed(0)
net = nn.LSTM(3, 8, batch_first=True)
fc = nn.Linear(8, 1)
opt = torch.optim.SGD([*net.parameters(), *fc.parameters()], lr=0.1)
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 1e9))  #-!
sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 10))  #+
for i in range(40):
    x = torch.randn(16, 6, 3)
    o, _ = net(x)
    loss = nn.functional.mse_loss(fc(o[:, -1]), x.sum((1, 2))[:, None])
    opt.zero_grad()
    loss.backward()
    opt.step()
    sched.step()
