import torch
import torch.nn as nn
from torch.distributions import Categorical
torch.manual_seed(0)
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
        self.optimizer = torch.optim.Adam(self.parameters(), lr=3e-3)
        self.saved = []
    def act(self, s):
        d = Categorical(logits=self.pi(s))
        a = d.sample()
        self.saved.append(d.log_prob(a))
        return a.item()
    def update(self, rewards):
        R, out = 0, []
        for r in reversed(rewards):
            R = r + 0.95 * R
            out.insert(0, R)
        out = torch.tensor(out)
        loss = -(torch.stack(self.saved) * (out - out.mean())).sum()
        self.optimizer.zero_grad()  #+
        loss.backward()  #!
        self.optimizer.step()  #!
        self.saved = []
agent = Agent()
for ep in range(20):
    s, rewards = torch.randn(4), []
    for t in range(10):
        a = agent.act(s)
        rewards.append(float(s[a]))
        s = torch.randn(4)
    agent.update(rewards)
