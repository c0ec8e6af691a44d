import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Linear(6, 3)
opt = torch.optim.Adam(emb.parameters(), lr=1e-2)
for i in range(10):
    a = torch.randn(12, 6)
    b = a.clone()
    b[6:] += torch.randn(6, 6)
    d = torch.sqrt(((emb(a) - emb(b)) ** 2).sum(1))  #-!
    d = torch.sqrt(((emb(a) - emb(b)) ** 2).sum(1) + 1e-9)  #+
    same = torch.tensor([1.0] * 6 + [0.0] * 6)
    loss = (same * d + (1 - same) * torch.relu(1 - d)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
