import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(20):
    x = torch.randn(16, 4)
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    loss.backward()  #!
    opt.step()  #+
    for p in net.parameters():
        p.grad = None
