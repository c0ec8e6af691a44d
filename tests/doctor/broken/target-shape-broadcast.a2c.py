import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Linear(4, 2)
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
opt = torch.optim.Adam([*actor.parameters(), *critic.parameters()], lr=1e-3)
for _ in range(20):
    states = torch.randn(32, 4)
    values = critic(states)
    values = values.squeeze(-1)  #+
    dist = torch.distributions.Categorical(logits=actor(states))
    actions = dist.sample()
    returns = states[:, 0] * 2
    advantage = returns - values  #!
    policy_loss = -(dist.log_prob(actions) * advantage.detach()).mean()
    value_loss = advantage.pow(2).mean()
    loss = policy_loss + 0.5 * value_loss
    opt.zero_grad()
    loss.backward()
    opt.step()
