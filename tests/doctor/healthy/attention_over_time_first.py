import torch
from torch import nn

torch.manual_seed(0)
rnn, score, fc = nn.GRU(5, 12), nn.Linear(12, 1), nn.Linear(12, 3)
mods = nn.ModuleList([rnn, score, fc])
opt = torch.optim.Adam(mods.parameters(), 5e-3)
for i in range(30):
    x = torch.randn(9, 16, 5)
    y = x.mean(0)[:, :3].argmax(1)
    h, _ = rnn(x)
    w = torch.softmax(score(h), dim=0)
    loss = nn.functional.cross_entropy(fc((w * h).sum(0)), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
