import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
a_opt = torch.optim.Adam(actor.parameters(), 1e-3)
c_opt = torch.optim.Adam(critic.parameters(), 1e-3)
for episode in range(6):
    s = torch.randn(32, 4)
    dist = torch.distributions.Categorical(logits=actor(s))
    act = dist.sample()
    reward = (act == (s[:, 0] > 0).long()).float()
    adv = reward - critic(s).squeeze(1)
    critic_loss = adv.pow(2).mean()
    actor_loss = -(dist.log_prob(act) * adv).mean()  #-
    actor_loss = -(dist.log_prob(act) * adv.detach()).mean()  #+
    c_opt.zero_grad()
    critic_loss.backward(retain_graph=True)  #-
    critic_loss.backward()  #+
    c_opt.step()  #!
    a_opt.zero_grad()
    actor_loss.backward()
    a_opt.step()
