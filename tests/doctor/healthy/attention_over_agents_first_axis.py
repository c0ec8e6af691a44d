import torch
from torch import nn

torch.manual_seed(0)
score, val = nn.Linear(4, 1), nn.Linear(4, 1)
opt = torch.optim.Adam([*score.parameters(), *val.parameters()], lr=1e-2)
for _ in range(25):
    agents = torch.randn(5, 4)
    e = torch.exp(score(agents))
    w = e / e.sum(0)
    loss = ((w * val(agents)).sum() - agents[:, 0].max()).pow(2)
    opt.zero_grad()
    loss.backward()
    opt.step()
