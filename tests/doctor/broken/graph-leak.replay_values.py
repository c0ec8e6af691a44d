import torch
import torch.nn as nn
import random

torch.manual_seed(0)
random.seed(0)
policy = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)

class Buffer:
    def __init__(self):
        self.items = []

    def add(self, *transition):
        self.items.append(transition)  #!

buffer = Buffer()
for episode in range(30):
    state = torch.randn(16, 4)
    q = policy(state)
    target = torch.zeros_like(q)
    target[:, 0] = 1.0
    loss = ((q - target) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    buffer.add(state, q)  #-!
    buffer.add(state, q.detach())  #+
