import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)


def select(state):
    with torch.no_grad():  #-!
        dist = torch.distributions.Categorical(logits=policy(state))  #-
        action = dist.sample()  #-
        return action, dist.log_prob(action)  #-
    dist = torch.distributions.Categorical(logits=policy(state))  #+
    action = dist.sample()  #+
    return action, dist.log_prob(action)  #+


for episode in range(8):
    logs, rewards = [], []
    state = torch.randn(4)
    for t in range(10):
        a, lp = select(state)
        logs.append(lp)
        rewards.append(float(a == (state[0] > 0)))
        state = torch.randn(4)
    returns = torch.tensor(rewards).flip(0).cumsum(0).flip(0)
    loss = -(torch.stack(logs) * (returns - returns.mean())).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
