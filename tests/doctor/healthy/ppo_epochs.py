import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(policy.parameters(), lr=3e-3)
for _ in range(5):
    obs = torch.randn(32, 3)
    with torch.no_grad():
        old = torch.log_softmax(policy(obs), -1)
        act = torch.distributions.Categorical(logits=old).sample()
        adv = torch.where(act == (obs[:, 0] > 0).long(), 1.0, -1.0)
        old = old.gather(1, act[:, None]).squeeze(1)
    for _ in range(4):
        new = torch.log_softmax(policy(obs), -1).gather(1, act[:, None]).squeeze(1)
        ratio = (new - old).exp()
        loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
        opt.step()
