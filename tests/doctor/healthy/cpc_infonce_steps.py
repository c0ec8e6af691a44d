import torch
from torch import nn
torch.manual_seed(0)
enc, ar = nn.Linear(2, 12), nn.GRU(12, 16, batch_first=True); W = nn.ModuleList(nn.Linear(16, 12) for _ in range(3))
opt = torch.optim.Adam([*enc.parameters(), *ar.parameters(), *W.parameters()], lr=2e-3)
for _ in range(40):
    t = torch.linspace(0, 6, 20); ph = torch.rand(16, 1) * 6; x = torch.stack([torch.sin(t + ph), torch.cos(2 * t + ph)], -1)
    z = enc(x); c, _ = ar(z); loss = 0.0
    for k, w in enumerate(W, 1):
        logits = w(c[:, 10]) @ z[:, 10 + k].T
        loss = loss + nn.functional.cross_entropy(logits, torch.arange(16)) / 3
    opt.zero_grad(); loss.backward(); opt.step()
