import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.AdamW(net.parameters(), 3e-3)
for _ in range(40):
    x = torch.randn(32, 8)
    y = x[:, :4].argmax(1)
    lam = torch.distributions.Beta(0.4, 0.4).sample().item()
    perm = torch.randperm(32)
    mixed = lam * x + (1 - lam) * x[perm]
    out = net(mixed)
    loss = lam * nn.functional.cross_entropy(out, y) + (1 - lam) * nn.functional.cross_entropy(out, y[perm])
    opt.zero_grad()
    loss.backward()
    opt.step()
