import torch
from torch import nn
torch.manual_seed(0)
pi, v, log_std = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1)), nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 1)), nn.Parameter(torch.zeros(1))
opt = torch.optim.Adam([{"params": [*pi.parameters(), log_std], "lr": 3e-4}, {"params": v.parameters(), "lr": 1e-3}], eps=1e-5)
for it in range(8):
    with torch.no_grad():
        s = torch.randn(128, 3); d = torch.distributions.Normal(pi(s), log_std.exp()); a = d.sample(); old = d.log_prob(a)
        r = -(a - s[:, :1]).abs(); adv = r - v(s); adv = (adv - adv.mean()) / adv.std()
    for _ in range(4):
        for b in torch.randperm(128).split(32):
            d = torch.distributions.Normal(pi(s[b]), log_std.exp()); ratio = (d.log_prob(a[b]) - old[b]).exp()
            l = -torch.min(ratio * adv[b], ratio.clamp(0.8, 1.2) * adv[b]).mean() + 0.5 * (v(s[b]) - r[b]).pow(2).mean() - 0.01 * d.entropy().mean()
            opt.zero_grad(); l.backward(); nn.utils.clip_grad_norm_([*pi.parameters(), *v.parameters(), log_std], 0.5); opt.step()
