import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Conv2d(6, 6, 3), nn.ReLU())
for p in net.parameters():
    p.requires_grad_(False)
img = torch.rand(1, 1, 16, 16, requires_grad=True)
opt = torch.optim.Adam([img], lr=0.05)
for _ in range(30):
    opt.zero_grad()
    loss = -net(img)[:, 2].mean() + 0.01 * (img.diff(dim=2).abs().mean() + img.diff(dim=3).abs().mean())
    loss.backward()
    opt.step()
    with torch.no_grad():
        img.clamp_(0, 1)
