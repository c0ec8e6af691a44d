import copy

import torch
from torch import nn
from torch.distributions import Normal

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
q1 = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
q1_t = copy.deepcopy(q1)
log_alpha = torch.zeros(1, requires_grad=True)
oa, oq, ol = (torch.optim.Adam(p, lr=3e-3) for p in (actor.parameters(), q1.parameters(), [log_alpha]))


def sample(s):
    mu, log_std = actor(s).chunk(2, -1)
    d = Normal(mu, log_std.clamp(-5, 2).exp())
    u = d.rsample()
    a = torch.tanh(u)
    return a, (d.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(-1, keepdim=True)


for _ in range(20):
    s, s2 = torch.randn(32, 3), torch.randn(32, 3)
    a, r = torch.rand(32, 1) * 2 - 1, torch.randn(32, 1)
    with torch.no_grad():
        a2, lp2 = sample(s2)
        y = r + 0.9 * (q1_t(torch.cat([s2, a2], 1)) - log_alpha.exp() * lp2)
    q_loss = nn.functional.mse_loss(q1(torch.cat([s, a], 1)), y)
    oq.zero_grad()
    q_loss.backward()
    oq.step()
    an, lp = sample(s)
    a_loss = (log_alpha.exp().detach() * lp - q1(torch.cat([s, an], 1))).mean()
    oa.zero_grad()
    a_loss.backward()
    oa.step()
    al = -(log_alpha * (lp + 1).detach()).mean()
    ol.zero_grad()
    al.backward()
    ol.step()
    with torch.no_grad():
        for p, t in zip(q1.parameters(), q1_t.parameters()):
            t.mul_(0.99).add_(p, alpha=0.01)
