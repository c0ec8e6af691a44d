import random
from collections import deque

import torch
import torch.nn as nn

torch.manual_seed(0)
random.seed(0)


class Agent:
    def __init__(self, n_obs, n_act):
        self.q = nn.Sequential(nn.Linear(n_obs, 32), nn.ReLU(), nn.Linear(32, n_act))
        self.target = nn.Sequential(nn.Linear(n_obs, 32), nn.ReLU(), nn.Linear(32, n_act))
        self.target.load_state_dict(self.q.state_dict())
        self.optimizer = torch.optim.Adam(self.q.parameters(), lr=1e-3)
        self.memory = deque(maxlen=500)

    def learn(self, batch_size=16):
        s, a, r, s2 = zip(*random.sample(self.memory, batch_size))
        s, s2 = torch.stack(s), torch.stack(s2)
        a, r = torch.tensor(a), torch.tensor(r)
        q = self.q(s).gather(1, a[:, None]).squeeze(1)
        with torch.no_grad():
            target = r + 0.9 * self.target(s2).max(1).values
        loss = nn.functional.smooth_l1_loss(q, target)
        self.optimizer.zero_grad()  #+
        loss.backward()  #!
        self.optimizer.step()  #!
        return loss.item()


agent = Agent(4, 2)
state = torch.randn(4)
for t in range(60):
    action = random.randrange(2)
    nxt = torch.randn(4)
    agent.memory.append((state, action, float(state[action]), nxt))
    state = nxt
    if len(agent.memory) >= 16:
        agent.learn()
    if t % 20 == 0:
        agent.target.load_state_dict(agent.q.state_dict())
