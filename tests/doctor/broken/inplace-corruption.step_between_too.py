import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(3, 16), nn.Tanh(), nn.Linear(16, 1))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
opt_a = torch.optim.Adam(actor.parameters(), lr=1e-3)
opt_c = torch.optim.Adam(critic.parameters(), lr=1e-3)
for it in range(15):
    s = torch.randn(32, 3)
    a = torch.randn(32, 1)
    r = -(a - s[:, :1]) ** 2
    q_loss = nn.functional.mse_loss(critic(torch.cat([s, a], 1)), r)
    actor_loss = -critic(torch.cat([s, actor(s)], 1)).mean()  #-
    opt_c.zero_grad()
    q_loss.backward()
    opt_c.step()  #-!
    opt_c.step()  #+
    actor_loss = -critic(torch.cat([s, actor(s)], 1)).mean()  #+
    opt_a.zero_grad()
    actor_loss.backward()
    opt_a.step()
