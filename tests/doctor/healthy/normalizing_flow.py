import torch
from torch import nn

torch.manual_seed(0)


class Coupling(nn.Module):
    def __init__(self, flip):
        super().__init__()
        self.flip = flip
        self.net = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 2))
        nn.init.zeros_(self.net[2].weight)
        nn.init.zeros_(self.net[2].bias)

    def forward(self, x):
        a, b = x.chunk(2, 1)
        if self.flip:
            a, b = b, a
        s, t = self.net(a).chunk(2, 1)
        b = b * torch.exp(torch.tanh(s)) + t
        out = torch.cat([b, a] if self.flip else [a, b], 1)
        return out, torch.tanh(s).sum(1)


layers = nn.ModuleList([Coupling(i % 2 == 0) for i in range(4)])
opt = torch.optim.Adam(layers.parameters(), lr=1e-2)
for _ in range(20):
    x = torch.randn(64, 2) * torch.tensor([2.0, 0.5]) + 1
    log_det = 0
    for layer in layers:
        x, ld = layer(x)
        log_det = log_det + ld
    loss = (0.5 * x.pow(2).sum(1) - log_det).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
