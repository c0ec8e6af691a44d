import torch
from torch import nn

torch.manual_seed(0)
f = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 2))
opt = torch.optim.Adam(f.parameters(), lr=5e-3)


def rk4(y, dt):
    k1 = f(y)
    k2 = f(y + dt / 2 * k1)
    k3 = f(y + dt / 2 * k2)
    k4 = f(y + dt * k3)
    return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
for it in range(25):
    y = y_true = torch.randn(16, 2)
    loss = 0.0
    for _ in range(8):
        y = rk4(y, 0.1)
        y_true = y_true @ torch.linalg.matrix_exp(0.1 * A).T
        loss = loss + (y - y_true).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
