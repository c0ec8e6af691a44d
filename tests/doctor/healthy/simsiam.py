import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
f = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 16), nn.BatchNorm1d(16))
h = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 16))
opt = torch.optim.SGD([*f.parameters(), *h.parameters()], lr=0.05, momentum=0.9)
def D(p, z): return -F.cosine_similarity(p, z.detach(), dim=-1).mean()
for i in range(50):
    x = torch.randn(64, 10)
    z1, z2 = f(x + 0.1 * torch.randn_like(x)), f(x + 0.1 * torch.randn_like(x))
    loss = D(h(z1), z2) / 2 + D(h(z2), z1) / 2
    opt.zero_grad(); loss.backward(); opt.step()
