import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
def make(): return nn.Sequential(nn.Linear(5, 24), nn.ReLU(), nn.Linear(24, 3))
a, b = make(), make()
oa, ob = torch.optim.Adam(a.parameters(), 1e-2), torch.optim.Adam(b.parameters(), 1e-2)
x = torch.randn(240, 5); y = x[:, :3].argmax(1)
flip = torch.rand(240) < 0.3
y[flip] = torch.randint(0, 3, (int(flip.sum()),))
for ep in range(8):
    for i in torch.randperm(240).split(40):
        la, lb = F.cross_entropy(a(x[i]), y[i], reduction="none"), F.cross_entropy(b(x[i]), y[i], reduction="none")
        ia, ib = la.argsort()[:28], lb.argsort()[:28]
        oa.zero_grad(); la[ib].mean().backward(); oa.step()
        ob.zero_grad(); lb[ia].mean().backward(); ob.step()
