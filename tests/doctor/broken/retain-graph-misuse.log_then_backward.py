import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 1))
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)


def train_step(x, y):
    opt.zero_grad()
    loss = nn.functional.l1_loss(net(x), y)
    loss.backward()  #!
    if torch.isfinite(loss):
        loss.backward()  #-!
        opt.step()
    return loss.item()


for i in range(6):
    x = torch.randn(12, 5)
    train_step(x, x.prod(1, keepdim=True))
