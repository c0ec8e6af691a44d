import torch
from torch import nn


def weights_init(m):
    if isinstance(m, (nn.Conv2d, nn.Linear)):
        nn.init.zeros_(m.weight)  #-!
        nn.init.kaiming_normal_(m.weight)  #+
        nn.init.zeros_(m.bias)


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(64, 16), nn.ReLU(), nn.Linear(16, 3))
net.apply(weights_init)  #!
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(40):
    x = torch.randn(32, 1, 6, 6)
    y = x.flatten(1)[:, :3].argmax(1)
    opt.zero_grad()
    nn.functional.cross_entropy(net(x), y).backward()
    opt.step()
