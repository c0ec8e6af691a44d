import copy
import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 8))
pred = nn.Sequential(nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 8))
tgt = copy.deepcopy(enc)
for p in tgt.parameters(): p.requires_grad_(False)
opt = torch.optim.SGD([*enc.parameters(), *pred.parameters()], lr=0.05, momentum=0.9)
for i in range(40):
    x = torch.randn(64, 12)
    v1, v2 = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
    with torch.no_grad():
        z1, z2 = tgt(v1), tgt(v2)
    loss = 2 - F.cosine_similarity(pred(enc(v1)), z2).mean() - F.cosine_similarity(pred(enc(v2)), z1).mean()
    opt.zero_grad(); loss.backward(); opt.step()
    with torch.no_grad():
        for a, b in zip(enc.parameters(), tgt.parameters()): b.lerp_(a, 0.01)
