import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
a_opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
c_opt = torch.optim.Adam(critic.parameters(), lr=1e-3)
for it in range(10):
    s = torch.randn(32, 4)
    a = actor(s)
    actor_loss = -critic(torch.cat([s, a], 1)).mean()  #-
    q = critic(torch.cat([s, a.detach()], 1))
    critic_loss = nn.functional.mse_loss(q, s.sum(1, keepdim=True))
    c_opt.zero_grad()
    critic_loss.backward()
    c_opt.step()  #!
    actor_loss = -critic(torch.cat([s, a], 1)).mean()  #+
    a_opt.zero_grad()
    actor_loss.backward()
    a_opt.step()
