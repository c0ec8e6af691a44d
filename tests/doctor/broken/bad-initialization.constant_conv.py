import torch
from torch import nn


def weights_init(m):
    if isinstance(m, (nn.Conv2d, nn.Linear)):
        nn.init.constant_(m.weight, 0.02)  #-!
        nn.init.kaiming_uniform_(m.weight)  #+
        nn.init.constant_(m.bias, 0.0)


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Conv2d(6, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(96, 3))
net.apply(weights_init)
opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
for _ in range(40):
    y = torch.randint(0, 3, (30,))
    x = torch.zeros(30, 1, 8, 8)
    for k in range(30):
        x[k, 0, int(y[k]) * 2 : int(y[k]) * 2 + 2] = 1
    x += 0.3 * torch.randn_like(x)
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
