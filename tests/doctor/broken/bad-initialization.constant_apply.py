import torch
from torch import nn


def weights_init(m):
    if isinstance(m, (nn.Linear, nn.Conv2d)):
        nn.init.constant_(m.weight, 0.1)  #-!
        nn.init.kaiming_uniform_(m.weight)  #+
        nn.init.constant_(m.bias, 0)


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))
model.apply(weights_init)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(25):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(model(x), x[:, :3].argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
