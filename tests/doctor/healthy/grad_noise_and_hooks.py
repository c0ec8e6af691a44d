import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ELU(), nn.Linear(16, 1))
for p in net.parameters():
    p.register_hook(lambda g: g + 0.001 * torch.randn_like(g))
opt = torch.optim.Adagrad(net.parameters(), lr=0.1)
for _ in range(20):
    x = torch.randn(32, 5)
    loss = nn.functional.huber_loss(net(x), x[:, :1])
    for p in net.parameters():
        p.grad = None
    loss.backward()
    opt.step()
