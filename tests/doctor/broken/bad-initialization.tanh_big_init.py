import torch
from torch import nn


def init_weights(m):
    if isinstance(m, nn.Linear):
        m.weight.data.normal_(0, 8)  #-!
        m.weight.data.normal_(0, 0.3)  #+


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))  #!
net.apply(init_weights)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for step in range(50):
    x = torch.randn(32, 10)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
