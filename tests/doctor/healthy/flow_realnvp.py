import math
import torch, torch.nn as nn
torch.manual_seed(0)
class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 2))
    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip: a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        s = torch.tanh(s)
        b = b * s.exp() + t
        return (torch.cat([b, a], 1) if self.flip else torch.cat([a, b], 1)), s.sum(1)
flows = nn.ModuleList([Coupling(i % 2 == 1) for i in range(4)])
opt = torch.optim.Adam(flows.parameters(), lr=5e-3)
for i in range(50):
    z = torch.randn(128, 1)
    x = torch.cat([z, z ** 2 + 0.1 * torch.randn(128, 1)], 1)
    ld = 0.0
    for f in flows:
        x, l = f(x); ld = ld + l
    nll = (0.5 * x.pow(2).sum(1) + math.log(2 * math.pi) - ld).mean()
    opt.zero_grad(); nll.backward(); opt.step()
