import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 1)
opt = torch.optim.SGD(net.parameters(), 0.01)
for i in range(400):
    x = torch.rand(8, 3)
    if i == 333:
        x[0] = 0
    scale = x.sum(1, keepdim=True)
    loss = (net(x) - torch.log(scale)).pow(2).mean()  #-!
    loss = (net(x) - torch.log(scale + 1e-3)).pow(2).mean()  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
