import torch, torch.nn as nn
torch.manual_seed(0)
class U(nn.Module):
    def __init__(self):
        super().__init__()
        self.t = nn.Embedding(50, 16); self.d = nn.Conv2d(1, 16, 3, padding=1); self.m = nn.Conv2d(16, 16, 3, padding=1); self.u = nn.Conv2d(32, 1, 3, padding=1)
        nn.init.zeros_(self.u.weight); nn.init.zeros_(self.u.bias)
    def forward(self, x, t):
        a = torch.relu(self.d(x) + self.t(t)[:, :, None, None]); b = torch.relu(self.m(a))
        return self.u(torch.cat([a, b], 1))
net = U(); opt = torch.optim.AdamW(net.parameters(), 2e-3)
ab = torch.cumprod(1 - torch.linspace(1e-3, 0.2, 50), 0)
for i in range(40):
    x0 = torch.rand(16, 1, 8, 8) * 2 - 1; t = torch.randint(0, 50, (16,)); e = torch.randn_like(x0)
    a = ab[t].view(-1, 1, 1, 1)
    loss = (net(a.sqrt() * x0 + (1 - a).sqrt() * e, t) - e).square().mean()
    opt.zero_grad(); loss.backward(); opt.step()
