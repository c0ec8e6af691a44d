import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
target = nn.functional.normalize(torch.randn(40, 3), dim=1)
x = target + 0.01 * torch.randn(40, 3)
for step in range(30):
    v = nn.functional.normalize(net(x) + 50 * x, dim=1)
    if step > 5:
        v = target + (v - v.detach())
    cos = (v * target).sum(1)
    angle = torch.acos(cos * 1.0000005)  #-!
    angle = torch.acos(cos.clamp(-0.999, 0.999))  #+
    loss = angle.mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
