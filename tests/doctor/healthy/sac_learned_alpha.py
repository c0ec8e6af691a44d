import copy
import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
mk = lambda i, o: nn.Sequential(nn.Linear(i, 24), nn.ReLU(), nn.Linear(24, o))
actor, q1, q2 = mk(3, 2), mk(4, 1), mk(4, 1)
t1, t2 = copy.deepcopy(q1).requires_grad_(False), copy.deepcopy(q2).requires_grad_(False)
log_alpha = torch.zeros(1, requires_grad=True)
oa = torch.optim.Adam(actor.parameters(), 3e-4)
oq = torch.optim.Adam([*q1.parameters(), *q2.parameters()], 3e-4)
ol = torch.optim.Adam([log_alpha], 3e-4)


def act(s):
    mu, ls = actor(s).chunk(2, -1)
    d = Normal(mu, ls.clamp(-5, 2).exp())
    u = d.rsample()
    a = torch.tanh(u)
    return a, (d.log_prob(u) - torch.log(1 - a**2 + 1e-6)).sum(-1, keepdim=True)


for step in range(40):
    s, s2 = torch.randn(32, 3), torch.randn(32, 3)
    a = torch.rand(32, 1) * 2 - 1
    r = -(a - s[:, :1]).pow(2)
    with torch.no_grad():
        a2, lp2 = act(s2)
        x2 = torch.cat([s2, a2], 1)
        y = r + 0.9 * (torch.min(t1(x2), t2(x2)) - log_alpha.exp() * lp2)
    x = torch.cat([s, a], 1)
    lq = (q1(x) - y).pow(2).mean() + (q2(x) - y).pow(2).mean()
    oq.zero_grad()
    lq.backward()
    oq.step()
    na, lp = act(s)
    xa = torch.cat([s, na], 1)
    la = (log_alpha.exp().detach() * lp - torch.min(q1(xa), q2(xa))).mean()
    oa.zero_grad()
    la.backward()
    oa.step()
    ll = -(log_alpha * (lp.detach() - 1.0)).mean()
    ol.zero_grad()
    ll.backward()
    ol.step()
    with torch.no_grad():
        for t, q in ((t1, q1), (t2, q2)):
            for tp, p in zip(t.parameters(), q.parameters()):
                tp.mul_(0.99).add_(0.01 * p)
