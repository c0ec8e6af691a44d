import torch
from torch import nn
torch.manual_seed(0)
f = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 2)); ls, ns = nn.Parameter(torch.zeros(1)), nn.Parameter(torch.tensor([-2.0]))
x = torch.linspace(-3, 3, 40).view(-1, 1); y = torch.sin(2 * x) + 0.1 * torch.randn(40, 1)
opt = torch.optim.Adam([*f.parameters(), ls, ns], lr=0.02)
for _ in range(50):
    z = f(x) / ls.exp(); K = torch.exp(-0.5 * ((z.unsqueeze(0) - z.unsqueeze(1)) ** 2).sum(-1)) + ns.exp() * torch.eye(40)
    L = torch.linalg.cholesky(K); a = torch.cholesky_solve(y, L)
    loss = 0.5 * (y * a).sum() + L.diagonal().log().sum()
    opt.zero_grad(); loss.backward(); opt.step()
