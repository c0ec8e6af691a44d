import torch
from torch import nn

torch.manual_seed(0)
items = torch.randn(60, 5)
tags = torch.randint(0, 4, (60,))
enc = nn.Linear(5, 4)
opt = torch.optim.Adam(enc.parameters(), lr=1e-2)
for _ in range(30):
    i, j = torch.randint(0, 60, (24,)), torch.randint(0, 60, (24,))
    same = (tags[i] == tags[j]).float()
    d = (enc(items[i]) - enc(items[j])).pow(2).sum(1)
    loss = (same * d + (1 - same) * torch.relu(1 - d)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
