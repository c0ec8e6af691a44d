import torch
from torch import nn

torch.manual_seed(0)
layers = nn.ModuleList([nn.Linear(10, 32), nn.Linear(32, 32)])
opts = [torch.optim.Adam(l.parameters(), lr=1e-2) for l in layers]
for step in range(25):
    pos = torch.randn(32, 10)
    pos[:, 1] = pos[:, 0]
    neg = torch.randn(32, 10)
    for layer, opt in zip(layers, opts):
        hp, hn = torch.relu(layer(pos)), torch.relu(layer(neg))
        loss = (nn.functional.softplus(2 - hp.pow(2).mean(1)) + nn.functional.softplus(hn.pow(2).mean(1) - 2)).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        pos = nn.functional.normalize(hp.detach(), dim=1) * 5
        neg = nn.functional.normalize(hn.detach(), dim=1) * 5
