import torch
from torch import nn

torch.manual_seed(0)


def encode(x, L=4):
    out = [x]
    for i in range(L):
        out += [torch.sin(2.0**i * x), torch.cos(2.0**i * x)]
    return torch.cat(out, -1)


field = nn.Sequential(nn.Linear(27, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.Adam(field.parameters(), lr=5e-3)
for _ in range(20):
    o, d = torch.zeros(16, 3), nn.functional.normalize(torch.randn(16, 3), dim=1)
    t = torch.linspace(0.1, 2, 12)
    pts = o[:, None] + t[None, :, None] * d[:, None]
    raw = field(encode(pts))
    sigma, rgb = torch.relu(raw[..., 0]), torch.sigmoid(raw[..., 1:])
    alpha = 1 - torch.exp(-sigma * 0.17)
    trans = torch.cumprod(torch.cat([torch.ones(16, 1), 1 - alpha + 1e-10], 1), 1)[:, :-1]
    color = ((alpha * trans)[..., None] * rgb).sum(1)
    loss = (color - (d * 0.5 + 0.5)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
