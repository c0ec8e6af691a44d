import math, torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
enc = nn.Sequential(nn.Linear(10, 32), nn.PReLU(), nn.Linear(32, 8))
W = nn.Parameter(torch.randn(5, 8))
opt = torch.optim.SGD([*enc.parameters(), W], lr=0.02, momentum=0.9)
y = torch.arange(200) % 5
x = F.one_hot(y, 10).float() * 2 + 0.3 * torch.randn(200, 10)
for ep in range(8):
    for b in torch.randperm(200).split(40):
        cos = F.normalize(enc(x[b])) @ F.normalize(W).T
        theta = torch.acos(cos.clamp(-1 + 1e-6, 1 - 1e-6))
        logits = 16 * torch.where(F.one_hot(y[b], 5).bool(), torch.cos(theta + 0.3), cos)
        loss = F.cross_entropy(logits, y[b])
        opt.zero_grad(); loss.backward(); opt.step()
