import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(6, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
for i in range(15):
    x = torch.randn(20, 6)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    for p in net.parameters():
        p.grad.clamp_(-1.0, 1.0)  #!
    scaler.step(opt)
    scaler.update()
