import copy
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 3))
ema = copy.deepcopy(model).eval()
for p in ema.parameters():
    p.requires_grad_(False)
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
X = torch.randn(160, 6)
Y = X[:, :3].argmax(1)
for epoch in range(6):
    model.train()
    for i in torch.randperm(128).split(32):
        loss = nn.functional.cross_entropy(model(X[i]), Y[i])
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        with torch.no_grad():
            for e, p in zip(ema.parameters(), model.parameters()):
                e.mul_(0.95).add_(p, alpha=0.05)
    with torch.no_grad():
        acc = (ema(X[128:]).argmax(1) == Y[128:]).float().mean()
