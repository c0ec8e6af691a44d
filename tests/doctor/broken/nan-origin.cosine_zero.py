import torch
from torch import nn

torch.manual_seed(0)
emb = nn.Embedding(10, 4, padding_idx=0)
proj = nn.Linear(4, 4)
opt = torch.optim.Adam([*emb.parameters(), *proj.parameters()], lr=1e-2)
for i in range(10):
    ids = torch.randint(0, 10, (12,))
    ids[0] = 0
    v = emb(ids)
    v = v / v.norm(dim=1, keepdim=True)  #-!
    v = torch.nn.functional.normalize(v, dim=1)  #+
    loss = (proj(v) - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
