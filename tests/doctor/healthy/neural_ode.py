import torch, torch.nn as nn
torch.manual_seed(0)
f = nn.Sequential(nn.Linear(2, 24), nn.Tanh(), nn.Linear(24, 2))
opt = torch.optim.Adam(f.parameters(), lr=5e-3)
def rk4(y, h):
    k1 = f(y); k2 = f(y + h / 2 * k1); k3 = f(y + h / 2 * k2); k4 = f(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
A = torch.tensor([[0.0, 1.0], [-1.0, 0.0]])
for it in range(30):
    y0 = torch.randn(32, 2)
    y, ref, loss = y0, y0, 0.0
    for t in range(5):
        y = rk4(y, 0.1)
        ref = ref + 0.1 * ref @ A.t()
        loss = loss + (y - ref).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step()
