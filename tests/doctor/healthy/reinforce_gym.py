import torch
from torch import nn

torch.manual_seed(0)
pi = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(pi.parameters(), 1e-2)
for episode in range(40):
    logps, rewards = [], []
    s = torch.randn(4)
    for t in range(10):
        d = torch.distributions.Categorical(logits=pi(s))
        a = d.sample()
        logps.append(d.log_prob(a))
        rewards.append(float(a == int(s[0] > 0)))
        s = torch.randn(4)
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    returns = (returns - returns.mean()) / (returns.std() + 1e-6)
    loss = -(torch.stack(logps) * returns).sum()
    opt.zero_grad(); loss.backward(); opt.step()
