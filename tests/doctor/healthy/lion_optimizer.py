import torch
from torch import nn
class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99), wd=0.0):
        super().__init__(params, dict(lr=lr, betas=betas, wd=wd))
    @torch.no_grad()
    def step(self, closure=None):
        for g in self.param_groups:
            for p in g["params"]:
                if p.grad is None: continue
                m = self.state[p].setdefault("m", torch.zeros_like(p))
                u = m.mul(g["betas"][0]).add(p.grad, alpha=1 - g["betas"][0]).sign_()
                p.mul_(1 - g["lr"] * g["wd"]).add_(u, alpha=-g["lr"])
                m.mul_(g["betas"][1]).add_(p.grad, alpha=1 - g["betas"][1])
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
opt = Lion(net.parameters(), lr=3e-3)
for _ in range(60):
    x = torch.randn(32, 6)
    loss = nn.functional.mse_loss(net(x), x[:, :1] - x[:, 1:2])
    opt.zero_grad(); loss.backward(); opt.step()
