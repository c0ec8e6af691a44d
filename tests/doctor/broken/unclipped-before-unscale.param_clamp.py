import torch
import torch.nn as nn
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(5, 10), nn.Tanh(), nn.Linear(10, 1))
o = torch.optim.Adam(m.parameters(), lr=1e-3)
s = torch.amp.GradScaler("cpu")
for i in range(15):
    x = torch.randn(20, 5)
    l = nn.functional.mse_loss(m(x), x.mean(1, keepdim=True))
    o.zero_grad()
    s.scale(l).backward()
    s.unscale_(o)  #+
    for p in m.parameters():
        p.grad.data.clamp_(-1, 1)  #-!
        p.grad.data.clamp_(-1, 1)  #+
    s.step(o)
    s.update()
