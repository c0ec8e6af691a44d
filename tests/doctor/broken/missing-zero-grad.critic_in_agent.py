import torch
import torch.nn.functional as F
from torch import nn, optim


class A2C:
    def __init__(self, obs, act):
        self.actor = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, act))
        self.critic = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, 1))
        self.a_opt = optim.Adam(self.actor.parameters(), lr=1e-3)
        self.c_opt = optim.Adam(self.critic.parameters(), lr=1e-3)

    def learn(self, s, a, r):
        v = self.critic(s).squeeze(-1)
        adv = (r - v).detach()
        logp = F.log_softmax(self.actor(s), -1).gather(1, a[:, None]).squeeze(1)
        a_loss, c_loss = -(logp * adv).mean(), F.mse_loss(v, r)
        self.a_opt.zero_grad()
        a_loss.backward()
        self.a_opt.step()
        self.c_opt.zero_grad()  #+
        c_loss.backward()  #!
        self.c_opt.step()  #!


torch.manual_seed(1)
agent = A2C(4, 2)
for _ in range(60):
    s = torch.randn(32, 4)
    a = torch.randint(0, 2, (32,))
    agent.learn(s, a, (a == (s[:, 0] > 0).long()).float())
