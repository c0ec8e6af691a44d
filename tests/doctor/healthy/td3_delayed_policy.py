import copy
import torch
from torch import nn

torch.manual_seed(0)
mlp = lambda i, o: nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o))
actor, q1, q2 = mlp(3, 1), mlp(4, 1), mlp(4, 1)
targets = [copy.deepcopy(m).requires_grad_(False) for m in (actor, q1, q2)]
a_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
q_opt = torch.optim.Adam([*q1.parameters(), *q2.parameters()], lr=1e-3)
for t in range(30):
    s, s2 = torch.randn(32, 3), torch.randn(32, 3)
    a = torch.rand(32, 1) * 2 - 1
    r = -(s[:, :1] - a).pow(2)
    with torch.no_grad():
        noise = (torch.randn_like(a) * 0.2).clamp(-0.5, 0.5)
        a2 = (torch.tanh(targets[0](s2)) + noise).clamp(-1, 1)
        sa2 = torch.cat([s2, a2], 1)
        y = r + 0.9 * torch.min(targets[1](sa2), targets[2](sa2))
    sa = torch.cat([s, a], 1)
    q_loss = nn.functional.mse_loss(q1(sa), y) + nn.functional.mse_loss(q2(sa), y)
    q_opt.zero_grad()
    q_loss.backward()
    q_opt.step()
    if t % 2 == 0:
        a_loss = -q1(torch.cat([s, torch.tanh(actor(s))], 1)).mean()
        a_opt.zero_grad()
        a_loss.backward()
        a_opt.step()
        with torch.no_grad():
            for net, target in zip((actor, q1, q2), targets):
                for p, tp in zip(net.parameters(), target.parameters()):
                    tp.lerp_(p, 0.01)
