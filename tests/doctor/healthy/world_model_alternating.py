import torch, torch.nn as nn
torch.manual_seed(0)
dyn, pol = nn.Linear(5, 4), nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
od, op = torch.optim.Adam(dyn.parameters(), 1e-2), torch.optim.Adam(pol.parameters(), 1e-3)
A, B = torch.eye(4) * 0.9, torch.randn(4, 1) * 0.3
for it in range(40):
    s = torch.randn(64, 4); a = torch.randn(64, 1)
    s2 = s @ A.t() + a @ B.t()
    l = (dyn(torch.cat([s, a], 1)) - s2).pow(2).mean()
    od.zero_grad(); l.backward(); od.step()
    s, cost = torch.randn(64, 4), 0.0
    for t in range(5):
        s = dyn(torch.cat([s, pol(s)], 1)); cost = cost + s.pow(2).mean()
    op.zero_grad(); cost.backward(); op.step()
