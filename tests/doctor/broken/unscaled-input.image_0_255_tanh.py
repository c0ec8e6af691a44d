import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.Tanh(), nn.Flatten(), nn.Linear(8 * 36, 10), nn.Tanh(), nn.Linear(10, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(60):
    y = torch.randint(0, 2, (32,))
    img = torch.randint(0, 256, (32, 1, 8, 8)).float() * 0.9 + 20 * y.view(-1, 1, 1, 1)
    img = (img - 127) / 127  #+
    img = img + 0.5 * y.view(-1, 1, 1, 1)  #+
    loss = nn.functional.cross_entropy(net(img), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
