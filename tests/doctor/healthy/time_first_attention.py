import torch
from torch import nn

torch.manual_seed(0)
rnn, score, out = nn.GRU(4, 12), nn.Linear(12, 1), nn.Linear(12, 3)
ps = [p for m in (rnn, score, out) for p in m.parameters()]
opt = torch.optim.Adam(ps, lr=1e-2)
for _ in range(50):
    x = torch.randn(9, 24, 4)
    y = x.mean(0)[:, :3].argmax(1)
    h, _ = rnn(x)
    a = torch.softmax(score(h), dim=0)
    loss = nn.functional.cross_entropy(out((a * h).sum(0)), y)
    opt.zero_grad(); loss.backward(); opt.step()
