import torch
import torch.nn as nn
torch.manual_seed(0)
heads = nn.ModuleList(nn.Linear(5, 2) for _ in range(3))
opt = torch.optim.SGD(heads.parameters(), lr=0.1)
for it in range(4):
    x = torch.randn(16, 5)
    y = (x[:, 0] > 0).long()
    losses = torch.stack([nn.functional.cross_entropy(h(x), y) for h in heads])  #!
    opt.zero_grad()
    losses.backward()  #-!
    losses.sum().backward()  #+
    opt.step()
