import torch
from torch import nn

torch.manual_seed(0)


class Config:
    lr = 1e-10  #-
    lr = 1e-2  #+


net = nn.Sequential(nn.Linear(4, 20), nn.ReLU(), nn.Linear(20, 3))
opt = torch.optim.Adam(net.parameters(), lr=Config.lr)  #!
x = torch.randn(90, 4)
y = x[:, :3].argmax(1)
for step in range(30):
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
