import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 2)
opt = torch.optim.SGD(net.parameters(), 0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=64.0)
for i in range(20):
    x = torch.randn(16, 6)
    opt.zero_grad()  #!
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    scaler.scale(loss).backward()  #!
    scaler.step(opt)  #+
    scaler.update()  #!
