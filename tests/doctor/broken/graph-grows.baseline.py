import torch
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
policy = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 2))
value = nn.Linear(3, 1)
opt = torch.optim.Adam([*policy.parameters(), *value.parameters()], lr=1e-2)
avg_value = torch.zeros(1)
for episode in range(12):
    obs = torch.randn(10, 3)
    dist = Categorical(logits=policy(obs))
    act = dist.sample()
    reward = (act == (obs[:, 0] > 0).long()).float()
    v = value(obs).squeeze(1)
    avg_value = 0.9 * avg_value + 0.1 * v.mean()  #-!
    avg_value = 0.9 * avg_value + 0.1 * v.mean().detach()  #+
    advantage = reward - avg_value
    loss = -(dist.log_prob(act) * advantage).mean() + nn.functional.mse_loss(v, reward)
    opt.zero_grad()
    loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    opt.step()
