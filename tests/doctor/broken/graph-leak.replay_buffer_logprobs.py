import torch
from torch import nn

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
buffer = []
for episode in range(20):
    obs = torch.randn(12, 4)
    dist = torch.distributions.Categorical(logits=policy(obs))
    act = dist.sample()
    logp = dist.log_prob(act)
    reward = (act == (obs[:, 0] > 0)).float()
    loss = -(logp * (reward - reward.mean())).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    buffer.append({"obs": obs, "act": act, "logp": logp})  #-!
    buffer.append({"obs": obs, "act": act, "logp": logp.detach()})  #+
