import torch
import torch.nn as nn
torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
oa = torch.optim.Adam(actor.parameters(), 1e-3)
oc = torch.optim.Adam(critic.parameters(), 1e-3)
for ep in range(20):
    s = torch.randn(32, 4)
    r = torch.randn(32, 1)
    a = actor(s)
    q = critic(torch.cat([s, a], 1))
    critic_loss = (q - r).pow(2).mean()
    actor_loss = -q.mean()
    oc.zero_grad()
    critic_loss.backward(retain_graph=True)
    oc.step()  #-!
    oa.zero_grad()
    actor_loss.backward()
    oa.step()
    oc.step()  #+
