import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
trunk, actor, critic = nn.Linear(4, 16), nn.Linear(16, 2), nn.Linear(16, 1)
opt = torch.optim.Adam([*trunk.parameters(), *actor.parameters(), *critic.parameters()], lr=5e-3)
for _ in range(30):
    s = torch.randn(24, 4)
    h = torch.tanh(trunk(s))
    dist = Categorical(logits=actor(h))
    a = dist.sample()
    reward = ((s[:, 0] > 0) == (a == 1)).float()
    value = critic(h).squeeze(-1)
    advantage = (reward - value).detach()
    loss = -(dist.log_prob(a) * advantage).mean() + 0.5 * (reward - value).pow(2).mean() - 0.01 * dist.entropy().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
