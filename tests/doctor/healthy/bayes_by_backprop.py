import torch, torch.nn.functional as F
from torch import nn
class BayesLinear(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.mu = nn.Parameter(torch.randn(o, i) * 0.1); self.rho = nn.Parameter(torch.full((o, i), -4.0))
    def forward(self, x):
        s = F.softplus(self.rho)
        self.kl = (0.5 * (self.mu ** 2 + s ** 2) - s.log() - 0.5).sum()
        return F.linear(x, self.mu + s * torch.randn_like(s))
torch.manual_seed(0)
net = nn.Sequential(BayesLinear(3, 16), nn.Tanh(), BayesLinear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
x = torch.randn(120, 3); y = x[:, :1] * 2
for _ in range(60):
    loss = F.mse_loss(net(x), y, reduction="sum") / (2 * 0.1) + sum(m.kl for m in net if hasattr(m, "kl"))
    opt.zero_grad(); loss.backward(); opt.step()
