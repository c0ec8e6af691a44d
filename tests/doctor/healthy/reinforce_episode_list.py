import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2), nn.Softmax(dim=-1))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(20):
    log_probs, rewards = [], []
    s = torch.randn(2)
    for t in range(15):
        dist = torch.distributions.Categorical(policy(s))
        a = dist.sample()
        log_probs.append(dist.log_prob(a))
        rewards.append(1.0 if a.item() == int(s[0] > 0) else 0.0)
        s = torch.randn(2)
    R, returns = 0.0, []
    for r in reversed(rewards):
        R = r + 0.9 * R
        returns.insert(0, R)
    returns = torch.tensor(returns)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = -(torch.stack(log_probs) * returns).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
