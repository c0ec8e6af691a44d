import torch
import torch.nn as nn
torch.manual_seed(0)
q = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
qt = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 2))
qt.load_state_dict(q.state_dict())
opt = torch.optim.Adam(q.parameters(), lr=1e-3)
for it in range(40):
    s, s2 = torch.randn(32, 4), torch.randn(32, 4)
    a = torch.randint(0, 2, (32, 1))
    r = torch.randn(32)
    done = torch.zeros(32)
    qa = q(s).gather(1, a)  #-
    qa = q(s).gather(1, a).squeeze(1)  #+
    with torch.no_grad():
        target = r + 0.99 * qt(s2).max(1)[0] * (1 - done)
    loss = (qa - target).pow(2).mean()  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
