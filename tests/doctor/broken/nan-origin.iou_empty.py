import torch
import torch.nn as nn


def soft_iou(p, t):
    inter = (p * t).sum((1, 2))
    union = (p + t - p * t).sum((1, 2))
    return inter / union  #-!
    return inter / (union + 1e-6)  #+


torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 1, 1), nn.ReLU())
nn.init.constant_(net[2].bias, -0.02)
opt = torch.optim.Adam(net.parameters(), 1e-3)
for k in range(20):
    x = torch.rand(6, 1, 8, 8)
    t = (x[:, 0] > 0.6).float()
    if k == 7:
        x[2], t[2] = 0, 0
        with torch.no_grad():
            net[2].bias.fill_(-5.0)
    loss = 1 - soft_iou(net(x)[:, 0], t).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
