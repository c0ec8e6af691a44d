import torch
from torch import nn


def init_weights(m):
    if isinstance(m, (nn.Conv2d, nn.Linear)):
        nn.init.normal_(m.weight, 0.0, 5.0)  #-!
        nn.init.normal_(m.weight, 0.0, 0.05)  #+
        nn.init.zeros_(m.bias)


torch.manual_seed(0)
cnn = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Conv2d(6, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(96, 3))
cnn.apply(init_weights)  #!
opt = torch.optim.SGD(cnn.parameters(), lr=1e-3)
for _ in range(30):
    y = torch.randint(0, 3, (16,))
    x = torch.randn(16, 1, 8, 8)
    x[torch.arange(16), 0, y] += 2
    loss = nn.functional.cross_entropy(cnn(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
