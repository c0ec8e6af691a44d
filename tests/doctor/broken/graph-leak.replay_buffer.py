import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
q_net = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(q_net.parameters(), lr=1e-3)
memory = []
state = torch.randn(4)
for t in range(60):
    q = q_net(state)
    action = int(q.argmax()) if random.random() > 0.1 else random.randrange(2)
    next_state = torch.randn(4)
    reward = float(state[0] > 0) if action == 0 else float(state[0] <= 0)
    memory.append((state, q, action, reward, next_state))  #-!
    memory.append((state, q.detach(), action, reward, next_state))  #+
    state = next_state
    if len(memory) >= 16:
        batch = random.sample(memory, 8)
        s = torch.stack([b[0] for b in batch])
        a = torch.tensor([b[2] for b in batch])
        r = torch.tensor([b[3] for b in batch])
        pred = q_net(s).gather(1, a[:, None]).squeeze(1)
        loss = nn.functional.mse_loss(pred, r)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
