import itertools
import torch
from torch import nn

torch.manual_seed(0)
mk = lambda o: nn.Sequential(nn.Linear(2, 12), nn.ReLU(), nn.Linear(12, o))
AB, BA, DA, DB = mk(2), mk(2), mk(1), mk(1)
og = torch.optim.Adam(itertools.chain(AB.parameters(), BA.parameters()), 1e-3)
od = torch.optim.Adam(itertools.chain(DA.parameters(), DB.parameters()), 1e-3)
pool = []
for i in range(25):
    a, b = torch.randn(16, 2), torch.randn(16, 2) + 2
    fb, fa = AB(a), BA(b)
    lg = (DB(fb) - 1).pow(2).mean() + (DA(fa) - 1).pow(2).mean() + 5 * ((BA(fb) - a).abs().mean() + (AB(fa) - b).abs().mean())
    og.zero_grad()
    lg.backward()
    og.step()
    pool = (pool + [fb.detach()])[-10:]
    old = pool[i % len(pool)]
    ld = (DB(b) - 1).pow(2).mean() + DB(old).pow(2).mean() + (DA(a) - 1).pow(2).mean() + DA(fa.detach()).pow(2).mean()
    od.zero_grad()
    ld.backward()
    od.step()
