import torch
from torch import nn
from torch.nn.utils import prune

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
prune.l1_unstructured(net[0], "weight", amount=0.5)
opt = torch.optim.SGD(net.parameters(), 0.2)
for _ in range(40):
    x = torch.randn(32, 8)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
