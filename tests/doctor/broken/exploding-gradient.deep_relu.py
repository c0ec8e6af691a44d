import torch
from torch import nn


def init(m):
    if isinstance(m, nn.Linear):
        nn.init.normal_(m.weight, std=0.5)  #-!
        nn.init.kaiming_normal_(m.weight)  #+
        nn.init.zeros_(m.bias)


torch.manual_seed(0)
net = nn.Sequential(
    *[m for _ in range(12) for m in (nn.Linear(40, 40), nn.ReLU())], nn.Linear(40, 1)
)
net.apply(init)
opt = torch.optim.SGD(net.parameters(), lr=1e-3)
for step in range(15):
    x = torch.randn(32, 40)
    loss = nn.functional.mse_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
