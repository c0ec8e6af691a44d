import torch
from torch import nn

torch.manual_seed(0)
pi = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 2))
vf = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam([*pi.parameters(), *vf.parameters()], lr=3e-3)
for it in range(8):
    with torch.no_grad():
        obs = torch.randn(64, 3)
        d = torch.distributions.Categorical(logits=pi(obs))
        act = d.sample()
        old = d.log_prob(act)
        rew = (act == (obs[:, 0] > 0)).float()
        val = vf(obs).squeeze(-1)
        adv = rew - val
        ret = adv + val
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for _ in range(4):
        for i in torch.randperm(64).split(16):
            d = torch.distributions.Categorical(logits=pi(obs[i]))
            ratio = (d.log_prob(act[i]) - old[i]).exp()
            clip = ratio.clamp(0.8, 1.2) * adv[i]
            loss_pi = -torch.min(ratio * adv[i], clip).mean()
            loss_v = (vf(obs[i]).squeeze(-1) - ret[i]).pow(2).mean()
            loss = loss_pi + 0.5 * loss_v - 0.01 * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_([*pi.parameters(), *vf.parameters()], 0.5)
            opt.step()
