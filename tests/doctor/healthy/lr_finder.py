import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.SGD(net.parameters(), lr=1e-6)
lrs, losses = [], []
lr = 1e-6
for i in range(60):
    for g in opt.param_groups:
        g["lr"] = lr
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    lrs.append(lr)
    losses.append(loss.item())
    if loss.item() > 4 * min(losses):
        break
    lr *= 1.3
