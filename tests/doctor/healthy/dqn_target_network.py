import copy
import random
from collections import deque

import torch
import torch.nn as nn

torch.manual_seed(0)
random.seed(0)
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
target = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
replay = deque(maxlen=200)
state = torch.randn(4)
for step in range(60):
    with torch.no_grad():
        action = q(state).argmax().item() if random.random() > 0.2 else random.randrange(2)
    following = torch.randn(4)
    replay.append((state, action, float(following[0] * (2 * action - 1)), following))
    state = following
    if len(replay) < 16:
        continue
    batch = random.sample(list(replay), 16)
    s = torch.stack([b[0] for b in batch])
    a = torch.tensor([b[1] for b in batch])
    r = torch.tensor([b[2] for b in batch])
    s2 = torch.stack([b[3] for b in batch])
    with torch.no_grad():
        goal = r + 0.9 * target(s2).max(1).values
    value = q(s).gather(1, a[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, goal)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        target.load_state_dict(q.state_dict())
