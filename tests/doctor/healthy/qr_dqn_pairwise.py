import torch
from torch import nn
torch.manual_seed(0)
N = 8
q = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, N))
tau = (torch.arange(N) + 0.5) / N
opt = torch.optim.Adam(q.parameters(), lr=2e-3)
for _ in range(60):
    s = torch.randn(40, 3)
    target = s[:, :1] + torch.randn(40, N) * 0.5
    theta = q(s)
    u = target.unsqueeze(1) - theta.unsqueeze(2)
    huber = torch.where(u.abs() <= 1, 0.5 * u ** 2, u.abs() - 0.5)
    loss = ((tau.view(1, N, 1) - (u.detach() < 0).float()).abs() * huber).mean(2).sum(1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
