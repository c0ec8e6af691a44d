import copy, random
from collections import deque
import torch, torch.nn as nn
torch.manual_seed(0); random.seed(0)
q = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
target = copy.deepcopy(q)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
mem = deque(maxlen=500)
s = torch.randn(4)
for step in range(150):
    with torch.no_grad():
        a = q(s).argmax().item() if random.random() > 0.2 else random.randrange(2)
    s2 = 0.9 * s + 0.3 * torch.randn(4)
    r = float(s[a])
    mem.append((s, a, r, s2, random.random() < 0.05))
    s = s2
    if len(mem) < 32: continue
    batch = random.sample(list(mem), 32)
    S = torch.stack([b[0] for b in batch]); A = torch.tensor([b[1] for b in batch])
    R = torch.tensor([b[2] for b in batch]); S2 = torch.stack([b[3] for b in batch])
    D = torch.tensor([b[4] for b in batch]).float()
    qa = q(S).gather(1, A[:, None]).squeeze(1)
    with torch.no_grad():
        y = R + 0.95 * (1 - D) * target(S2).max(1).values
    loss = nn.functional.smooth_l1_loss(qa, y)
    opt.zero_grad(); loss.backward()
    nn.utils.clip_grad_norm_(q.parameters(), 10)
    opt.step()
    if step % 20 == 0: target.load_state_dict(q.state_dict())
