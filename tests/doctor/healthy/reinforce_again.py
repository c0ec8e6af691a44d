import torch, torch.nn as nn
from torch.distributions import Categorical
torch.manual_seed(0)
pi = nn.Sequential(nn.Linear(3, 32), nn.Tanh(), nn.Linear(32, 2))
opt = torch.optim.Adam(pi.parameters(), lr=1e-2)
for ep in range(25):
    log_probs, rewards = [], []
    s = torch.randn(3)
    for t in range(12):
        dist = Categorical(logits=pi(s))
        a = dist.sample()
        log_probs.append(dist.log_prob(a))
        r = 1.0 if (a.item() == 1) == (s[0].item() > 0) else 0.0
        rewards.append(r)
        s = 0.8 * s + 0.5 * torch.randn(3)
    R, returns = 0.0, []
    for r in rewards[::-1]:
        R = r + 0.99 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-8)
    loss = torch.stack([-lp * g for lp, g in zip(log_probs, returns)]).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
