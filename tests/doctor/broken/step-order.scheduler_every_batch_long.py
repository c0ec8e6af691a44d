import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 2)
opt = torch.optim.Adam(net.parameters(), 1e-3)
sch = torch.optim.lr_scheduler.StepLR(opt, 50, 0.5)
for _ in range(200):
    x = torch.randn(16, 5)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    loss.backward()
    opt.zero_grad()  #-!
    opt.step()
    opt.zero_grad()  #+
    sch.step()
