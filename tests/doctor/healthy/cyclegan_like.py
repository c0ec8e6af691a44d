import itertools

import torch
from torch import nn

torch.manual_seed(0)


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 12), nn.LeakyReLU(0.2), nn.Linear(12, o))


ab, ba, da, db = mlp(2, 2), mlp(2, 2), mlp(2, 1), mlp(2, 1)
g_opt = torch.optim.Adam(itertools.chain(ab.parameters(), ba.parameters()), lr=2e-3)
d_opt = torch.optim.Adam(itertools.chain(da.parameters(), db.parameters()), lr=2e-3)
mse = nn.MSELoss()
for _ in range(15):
    a, b = torch.randn(16, 2), torch.randn(16, 2) + 2
    for p in itertools.chain(da.parameters(), db.parameters()):
        p.requires_grad_(False)
    g_opt.zero_grad()
    fb, fa = ab(a), ba(b)
    loss_g = mse(db(fb), torch.ones(16, 1)) + mse(da(fa), torch.ones(16, 1))
    loss_g = loss_g + 10 * ((ba(fb) - a).abs().mean() + (ab(fa) - b).abs().mean())
    loss_g.backward()
    g_opt.step()
    for p in itertools.chain(da.parameters(), db.parameters()):
        p.requires_grad_(True)
    d_opt.zero_grad()
    loss_d = mse(da(a), torch.ones(16, 1)) + mse(da(fa.detach()), torch.zeros(16, 1))
    loss_d.backward()
    loss_d2 = mse(db(b), torch.ones(16, 1)) + mse(db(fb.detach()), torch.zeros(16, 1))
    loss_d2.backward()
    d_opt.step()
