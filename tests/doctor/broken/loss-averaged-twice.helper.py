#= util.py
def batch_loss(pred, target):
    per = ((pred - target) ** 2).mean()  #-!
    per = ((pred - target) ** 2).sum()  #+
    return per / pred.shape[0]  #!
#= main
import torch
from torch import nn
from util import batch_loss

torch.manual_seed(0)
net = nn.Linear(4, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for i in range(40):
    x = torch.randn(16, 4)
    loss = batch_loss(net(x), x[:, :1])
    opt.zero_grad()
    loss.backward()
    opt.step()
