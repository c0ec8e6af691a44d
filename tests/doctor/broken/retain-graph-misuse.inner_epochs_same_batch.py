import torch
from torch import nn

torch.manual_seed(0)
ac = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 3))
opt = torch.optim.Adam(ac.parameters(), lr=1e-3)
for it in range(5):
    s = torch.randn(64, 4)
    out = ac(s)  #-!
    adv = s[:, 0] * (1 if it % 2 else -1)
    for epoch in range(3):
        out = ac(s)  #+
        logp = out[:, :2].log_softmax(-1)[:, 0]
        loss = -(logp * adv).mean() + out[:, 2].pow(2).mean()
        opt.zero_grad()
        loss.backward()  #-!
        loss.backward()  #+
        opt.step()
