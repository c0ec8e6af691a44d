import torch
from torch import nn

torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
target_q = nn.Sequential(nn.Linear(4, 24), nn.ReLU(), nn.Linear(24, 2))
target_q.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
for step in range(40):
    s, s2 = torch.randn(32, 4), torch.randn(32, 4)
    a = torch.randint(0, 2, (32, 1))
    r = s[:, 0] * (a.squeeze(1) * 2 - 1).float()
    with torch.no_grad():
        backup = r + 0.9 * target_q(s2).max(1).values
    chosen = q(s).gather(1, a)
    loss = nn.functional.smooth_l1_loss(chosen, backup)  #-!
    loss = nn.functional.smooth_l1_loss(chosen.squeeze(1), backup)  #+
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        target_q.load_state_dict(q.state_dict())
