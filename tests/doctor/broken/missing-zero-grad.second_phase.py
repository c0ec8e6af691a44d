import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))


def pretrain(steps):
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    for _ in range(steps):
        x = torch.randn(16, 6)
        opt.zero_grad()
        nn.functional.mse_loss(net(x), x[:, :2]).backward()
        opt.step()


def finetune(steps):
    opt = torch.optim.SGD(net.parameters(), 1e-2)
    for _ in range(steps):
        x = torch.randn(16, 6)
        opt.zero_grad()  #+
        nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long()).backward()  #!
        opt.step()  #!


pretrain(150)
finetune(150)
