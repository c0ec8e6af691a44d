import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
average = AveragedModel(net)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(30):
    x = torch.randn(32, 4)
    loss = (net(x) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step > 15:
        average.update_parameters(net)
