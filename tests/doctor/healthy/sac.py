import copy
import torch, torch.nn as nn
torch.manual_seed(0)
def mlp(i, o): return nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))
actor, q1, q2 = mlp(3, 2), mlp(4, 1), mlp(4, 1)
t1, t2 = copy.deepcopy(q1), copy.deepcopy(q2)
log_alpha = torch.zeros(1, requires_grad=True)
oa = torch.optim.Adam(actor.parameters(), 3e-4)
oq = torch.optim.Adam([*q1.parameters(), *q2.parameters()], 3e-4)
ol = torch.optim.Adam([log_alpha], 3e-4)
def act(s):
    mu, ls = actor(s).chunk(2, -1)
    std = ls.clamp(-5, 2).exp()
    u = mu + std * torch.randn_like(mu)
    a = torch.tanh(u)
    lp = (-0.5 * ((u - mu) / std) ** 2 - ls.clamp(-5, 2) - torch.log(1 - a ** 2 + 1e-6)).sum(-1, keepdim=True)
    return a, lp
for it in range(40):
    s, s2 = torch.randn(32, 3), torch.randn(32, 3)
    a = torch.rand(32, 1) * 2 - 1
    r = -(a - s[:, :1]).pow(2)
    with torch.no_grad():
        a2, lp2 = act(s2)
        sa2 = torch.cat([s2, a2], 1)
        y = r + 0.99 * (torch.min(t1(sa2), t2(sa2)) - log_alpha.exp() * lp2)
    sa = torch.cat([s, a], 1)
    lq = (q1(sa) - y).pow(2).mean() + (q2(sa) - y).pow(2).mean()
    oq.zero_grad(); lq.backward(); oq.step()
    an, lp = act(s)
    san = torch.cat([s, an], 1)
    la = (log_alpha.exp().detach() * lp - torch.min(q1(san), q2(san))).mean()
    oa.zero_grad(); la.backward(); oa.step()
    ll = -(log_alpha * (lp.detach() + -1)).mean()
    ol.zero_grad(); ll.backward(); ol.step()
    with torch.no_grad():
        for src, dst in ((q1, t1), (q2, t2)):
            for p, tp in zip(src.parameters(), dst.parameters()):
                tp.mul_(0.995).add_(0.005 * p)
