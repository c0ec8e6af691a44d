import math
import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, d, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(d // 2, 16), nn.Tanh(), nn.Linear(16, d))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def forward(self, x):
        a, b = x.chunk(2, -1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, -1)
        s = torch.tanh(s)
        b = b * s.exp() + t
        out = torch.cat([b, a] if self.flip else [a, b], -1)
        return out, s.sum(-1)


torch.manual_seed(0)
flow = nn.ModuleList(Coupling(4, i % 2 == 1) for i in range(4))
opt = torch.optim.Adam(flow.parameters(), 1e-3)
for _ in range(40):
    x = torch.randn(64, 4) * 2 + 1
    z, logdet = x, 0.0
    for layer in flow:
        z, ld = layer(z)
        logdet = logdet + ld
    loss = (0.5 * (z**2).sum(-1) + 2 * math.log(2 * math.pi) - logdet).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
