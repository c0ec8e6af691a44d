import copy
import torch, torch.nn as nn
torch.manual_seed(0)
mlp = lambda i, o: nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))
pi, q1, q2 = nn.Sequential(mlp(3, 1), nn.Tanh()), mlp(4, 1), mlp(4, 1)
tp, t1, t2 = map(copy.deepcopy, (pi, q1, q2))
op, oq = torch.optim.Adam(pi.parameters(), 1e-3), torch.optim.Adam([*q1.parameters(), *q2.parameters()], 1e-3)
for it in range(60):
    s, s2 = torch.randn(64, 3), torch.randn(64, 3)
    a = torch.tanh(torch.randn(64, 1)); r = -(a - torch.tanh(s[:, :1])).abs()
    with torch.no_grad():
        a2 = (tp(s2) + (0.2 * torch.randn(64, 1)).clamp(-0.5, 0.5)).clamp(-1, 1)
        y = r + 0.9 * torch.min(t1(torch.cat([s2, a2], 1)), t2(torch.cat([s2, a2], 1)))
    x = torch.cat([s, a], 1)
    l = nn.functional.mse_loss(q1(x), y) + nn.functional.mse_loss(q2(x), y)
    oq.zero_grad(); l.backward(); oq.step()
    if it % 2 == 0:
        lp = -q1(torch.cat([s, pi(s)], 1)).mean()
        op.zero_grad(); lp.backward(); op.step()
        for m, t in ((pi, tp), (q1, t1), (q2, t2)):
            for p, tpp in zip(m.parameters(), t.parameters()): tpp.data.copy_(0.005 * p.data + 0.995 * tpp.data)
