import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 3)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for k in range(10):
    x = torch.randn(9, 4)
    u = nn.functional.normalize(net(x), dim=1)
    cos = (u * u.detach()).sum(1)
    cos = cos.clamp(-0.999, 0.999)  #+
    angle = torch.acos(cos.clamp(-1, 1))  #!
    loss = angle.mean() + u[:, 0].mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
