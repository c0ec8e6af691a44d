import torch
from torch import nn

torch.manual_seed(0)


def init(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, std=0.6)  #-!
        nn.init.kaiming_normal_(m.weight)  #+


net = nn.Sequential(*[m for _ in range(12) for m in (nn.Linear(32, 32), nn.ReLU())], nn.Linear(32, 1))
net.apply(init)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
x = torch.randn(80, 32)
y = x.mean(1, keepdim=True)
for _ in range(20):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
