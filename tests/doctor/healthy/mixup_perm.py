import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 3))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(50):
    x = torch.randn(48, 6)
    y = nn.functional.one_hot(x[:, :3].argmax(1), 3).float()
    perm = torch.randperm(48)
    lam = 0.8
    xm, ym = lam * x + (1 - lam) * x[perm], lam * y + (1 - lam) * y[perm]
    loss = nn.functional.cross_entropy(net(xm), ym)
    opt.zero_grad(); loss.backward(); opt.step()
