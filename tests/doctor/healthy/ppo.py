import torch, torch.nn as nn
from torch.distributions import Normal
torch.manual_seed(0)
class AC(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 32), nn.Tanh())
        self.mu = nn.Linear(32, 1)
        self.v = nn.Linear(32, 1)
        self.log_std = nn.Parameter(torch.zeros(1))
    def forward(self, s):
        h = self.body(s)
        return Normal(self.mu(h), self.log_std.exp()), self.v(h).squeeze(-1)
ac = AC()
opt = torch.optim.Adam(ac.parameters(), lr=3e-4)
for it in range(6):
    S = torch.randn(128, 3)
    with torch.no_grad():
        d, v = ac(S)
        A = d.sample()
        old = d.log_prob(A).sum(-1)
        R = -(A.squeeze(-1) - S.sum(-1)).abs()
        adv = R - v
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for epoch in range(3):
        for idx in torch.randperm(128).split(32):
            d, v = ac(S[idx])
            ratio = (d.log_prob(A[idx]).sum(-1) - old[idx]).exp()
            s1 = ratio * adv[idx]
            s2 = ratio.clamp(0.8, 1.2) * adv[idx]
            loss = -torch.min(s1, s2).mean() + 0.5 * (v - R[idx]).pow(2).mean() - 0.01 * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(ac.parameters(), 0.5)
            opt.step()
