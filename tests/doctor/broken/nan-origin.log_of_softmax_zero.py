import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for i in range(12):
    x = torch.randn(16, 5)
    temperature = 0.005 if i > 3 else 1.0
    p = torch.softmax(net(x) / temperature, 1)
    loss = -torch.log(p).mean()  #-!
    loss = -torch.log(p.clamp_min(1e-8)).mean()  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
