import torch
from torch import nn
torch.manual_seed(0)
G, C = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 2)), nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
og, oc = torch.optim.RMSprop(G.parameters(), 5e-4), torch.optim.RMSprop(C.parameters(), 5e-4)
for it in range(30):
    for p in C.parameters(): p.requires_grad_(True)
    for _ in range(3):
        r = torch.randn(32, 2) + 2
        f = G(torch.randn(32, 2)).detach()
        oc.zero_grad(); (C(f).mean() - C(r).mean()).backward(); oc.step()
        for p in C.parameters(): p.data.clamp_(-0.05, 0.05)
    for p in C.parameters(): p.requires_grad_(False)
    og.zero_grad(); (-C(G(torch.randn(32, 2))).mean()).backward(); og.step()
