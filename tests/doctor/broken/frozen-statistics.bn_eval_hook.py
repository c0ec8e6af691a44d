import torch
from torch import nn


def set_bn_eval(m):
    if isinstance(m, nn.BatchNorm1d):
        m.eval()  #!


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2))  #!
opt = torch.optim.Adam(net.parameters(), 1e-3)
for _ in range(20):
    net.train()
    net.apply(set_bn_eval)  #-
    x = torch.randn(16, 6)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
