import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
critic = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=3e-4, eps=1e-5)
for update in range(5):
    with torch.no_grad():
        obs = torch.randn(64, 4)
        dist = Categorical(logits=actor(obs))
        act = dist.sample()
        old = dist.log_prob(act)
        rew = (act == (obs[:, 0] > 0)).float()
        val = critic(obs).squeeze(-1)
        adv = rew - val
        ret = adv + val
    for epoch in range(4):
        perm = torch.randperm(64)
        for i in range(0, 64, 16):
            b = perm[i : i + 16]
            d = Categorical(logits=actor(obs[b]))
            ratio = (d.log_prob(act[b]) - old[b]).exp()
            a = (adv[b] - adv[b].mean()) / (adv[b].std() + 1e-8)
            pg = -torch.min(ratio * a, ratio.clamp(0.8, 1.2) * a).mean()
            vl = 0.5 * (critic(obs[b]).view(-1) - ret[b]).pow(2).mean()
            loss = pg + 0.5 * vl - 0.01 * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*actor.parameters(), *critic.parameters()], 0.5)
            opt.step()
