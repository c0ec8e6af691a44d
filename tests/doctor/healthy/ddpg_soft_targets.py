import copy, random, torch
from torch import nn
from collections import deque
torch.manual_seed(0); random.seed(0)
actor = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1), nn.Tanh())
critic = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 1))
ta, tc = copy.deepcopy(actor), copy.deepcopy(critic)
oa, oc = torch.optim.Adam(actor.parameters(), 1e-3), torch.optim.Adam(critic.parameters(), 2e-3)
memory = deque(maxlen=500)
s = torch.zeros(3)
for t in range(150):
    with torch.no_grad():
        a = (actor(s) + 0.2 * torch.randn(1)).clamp(-1, 1)
    s2 = 0.8 * s + torch.cat([a, torch.randn(2) * 0.1])
    memory.append((s, a, -(s2[0] - 0.5).abs().view(1), s2))
    s = s2
    if len(memory) < 32:
        continue
    S, A, R, S2 = (torch.stack(v) for v in zip(*random.sample(memory, 32)))
    with torch.no_grad():
        y = R + 0.95 * tc(torch.cat([S2, ta(S2)], 1))
    lc = nn.functional.mse_loss(critic(torch.cat([S, A], 1)), y)
    oc.zero_grad(); lc.backward(); oc.step()
    la = -critic(torch.cat([S, actor(S)], 1)).mean()
    oa.zero_grad(); la.backward(); oa.step()
    for net, tgt in ((actor, ta), (critic, tc)):
        for p, tp in zip(net.parameters(), tgt.parameters()):
            tp.data.copy_(0.995 * tp.data + 0.005 * p.data)
