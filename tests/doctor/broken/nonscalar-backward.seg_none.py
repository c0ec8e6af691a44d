import torch
from torch import nn

torch.manual_seed(0)
net = nn.Conv2d(3, 2, 3, padding=1)
opt = torch.optim.Adam(net.parameters())
crit = nn.CrossEntropyLoss(reduction="none")  #-!
crit = nn.CrossEntropyLoss()  #+
for _ in range(4):
    x = torch.rand(2, 3, 8, 8)
    y = (x[:, 0] > 0.5).long()
    loss = crit(net(x), y)  #!
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
