import torch
from torch import nn

torch.manual_seed(0)
features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())
for p in features.parameters():
    p.requires_grad_(False)
features.eval()
content, style = torch.rand(1, 3, 12, 12), torch.rand(1, 3, 12, 12)


def gram(f):
    b, c, h, w = f.shape
    f = f.view(c, h * w)
    return f @ f.t() / (c * h * w)


with torch.no_grad():
    fc, gs = features(content), gram(features(style))
image = content.clone().requires_grad_(True)
opt = torch.optim.Adam([image], lr=0.03)
for _ in range(40):
    f = features(image)
    loss = (f - fc).pow(2).mean() + 1e3 * (gram(f) - gs).pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        image.clamp_(0, 1)
