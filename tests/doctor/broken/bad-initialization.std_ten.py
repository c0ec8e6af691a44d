import torch
from torch import nn


def weights_init(m):
    if type(m) in (nn.Linear, nn.Conv2d):
        nn.init.normal_(m.weight, 0.0, 10.0)  #-!
        nn.init.kaiming_normal_(m.weight)  #+


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.Tanh(), nn.Flatten(), nn.Linear(8 * 36, 32), nn.Tanh(), nn.Linear(32, 1))
net.apply(weights_init)
opt = torch.optim.SGD(net.parameters(), lr=1e-4)
for _ in range(30):
    x = torch.randn(16, 1, 8, 8)
    loss = nn.functional.mse_loss(net(x).squeeze(1), x.mean((1, 2, 3)))
    opt.zero_grad()
    loss.backward()
    opt.step()
