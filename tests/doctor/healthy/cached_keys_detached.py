import torch
from torch import nn

torch.manual_seed(0)
f = nn.Linear(6, 6)
out = nn.Linear(6, 2)
opt = torch.optim.Adam([*f.parameters(), *out.parameters()], 5e-3)
cache = []
for i in range(30):
    x = torch.randn(16, 6)
    h = torch.tanh(f(x))
    ctx = torch.stack(cache).mean(0) if cache else torch.zeros(6)
    loss = nn.functional.cross_entropy(out(h + 0.1 * ctx), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
    cache = (cache + [h.mean(0).detach()])[-5:]
