import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters())
for i in range(20):
    x = torch.randn(8, 3)
    loss = (net(x) - x.sum(1, keepdim=True)).abs().mean()
    opt.zero_grad()
    torch.autograd.backward(loss, retain_graph=True)  #-!
    torch.autograd.backward(loss)  #+
    opt.step()
