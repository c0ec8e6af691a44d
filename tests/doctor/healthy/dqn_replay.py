import copy
import random
from collections import deque
import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
target = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), 1e-3)
memory = deque(maxlen=200)
state = torch.randn(4)
for step in range(120):
    with torch.no_grad():
        a = random.randrange(2) if random.random() < 0.2 else q(state).argmax().item()
    nxt = torch.randn(4)
    memory.append((state, a, float(a == int(state[0] > 0)), nxt))
    state = nxt
    if len(memory) >= 32:
        s, a, r, n = zip(*random.sample(memory, 16))
        s, n = torch.stack(s), torch.stack(n)
        a, r = torch.tensor(a), torch.tensor(r)
        with torch.no_grad():
            y = r + 0.9 * target(n).max(1).values
        loss = nn.functional.smooth_l1_loss(q(s).gather(1, a[:, None]).squeeze(1), y)
        opt.zero_grad()
        loss.backward()
        for p in q.parameters():
            p.grad.clamp_(-1, 1)
        opt.step()
    if step % 25 == 0:
        target.load_state_dict(q.state_dict())
