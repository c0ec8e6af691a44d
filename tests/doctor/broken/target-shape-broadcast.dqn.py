import torch
from torch import nn

torch.manual_seed(0)
q, target_q = nn.Linear(4, 3), nn.Linear(4, 3)
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
for t in range(15):
    s, s2 = torch.randn(16, 4), torch.randn(16, 4)
    a = torch.randint(0, 3, (16, 1))
    r, done = torch.randn(16), (torch.rand(16) < 0.1).float()
    q_sa = q(s).gather(1, a)  #-
    q_sa = q(s).gather(1, a).squeeze(1)  #+
    with torch.no_grad():
        y = r + 0.99 * target_q(s2).max(1).values * (1 - done)
    loss = nn.functional.smooth_l1_loss(q_sa, y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
