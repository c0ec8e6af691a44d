import torch
from torch import nn
torch.manual_seed(0)
u = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 20), nn.Tanh(), nn.Linear(20, 1))
t = torch.linspace(0, 2, 50).view(-1, 1).requires_grad_()
def residual():
    y = u(t); dy = torch.autograd.grad(y, t, torch.ones_like(y), create_graph=True)[0]
    return (dy + y).pow(2).mean() + (u(torch.zeros(1, 1)) - 1).pow(2).mean()
opt = torch.optim.Adam(u.parameters(), lr=5e-3)
for _ in range(40):
    opt.zero_grad(); l = residual(); l.backward(); opt.step()
opt2 = torch.optim.LBFGS(u.parameters(), max_iter=15, line_search_fn="strong_wolfe")
def closure():
    opt2.zero_grad(); l = residual(); l.backward(); return l
opt2.step(closure)
