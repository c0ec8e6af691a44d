import copy
import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 2))
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
q_t = copy.deepcopy(q)
log_alpha = torch.zeros(1, requires_grad=True)
ao, qo = torch.optim.Adam(actor.parameters(), 1e-3), torch.optim.Adam(q.parameters(), 1e-3)
alo = torch.optim.Adam([log_alpha], 1e-3)


def sample(s):
    mu, ls = actor(s).chunk(2, -1)
    dist = torch.distributions.Normal(mu, ls.clamp(-4, 1).exp())
    u = dist.rsample()
    a = torch.tanh(u)
    return a, (dist.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(-1, keepdim=True)


for t in range(25):
    s, s2 = torch.randn(32, 3), torch.randn(32, 3)
    a = torch.rand(32, 1) * 2 - 1
    r = -(a - s[:, :1].tanh()).abs()
    with torch.no_grad():
        a2, lp2 = sample(s2)
        y = r + 0.95 * (q_t(torch.cat([s2, a2], 1)) - log_alpha.exp() * lp2)
    lq = nn.functional.mse_loss(q(torch.cat([s, a], 1)), y)
    qo.zero_grad(); lq.backward(); qo.step()
    an, lp = sample(s)
    la = (log_alpha.exp().detach() * lp - q(torch.cat([s, an], 1))).mean()
    ao.zero_grad(); la.backward(); ao.step()
    ll = -(log_alpha * (lp.detach() - 1.0)).mean()
    alo.zero_grad(); ll.backward(); alo.step()
    with torch.no_grad():
        for p, pt in zip(q.parameters(), q_t.parameters()):
            pt.mul_(0.99).add_(0.01 * p)
