import torch
from torch.distributions import Categorical

torch.manual_seed(0)
policy = torch.nn.Sequential(torch.nn.Linear(3, 16), torch.nn.Tanh(), torch.nn.Linear(16, 2))
opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
for episode in range(20):
    log_probs, rewards = [], []
    state = torch.randn(3)
    for _ in range(6):
        dist = Categorical(logits=policy(state))
        action = dist.sample()
        log_probs.append(dist.log_prob(action))
        rewards.append(1.0 if (state[0] > 0) == bool(action) else -1.0)
        state = torch.randn(3)
    returns = torch.tensor([sum(rewards[i:]) for i in range(6)])
    loss = -(torch.stack(log_probs) * returns).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
