import torch
from torch import nn

torch.manual_seed(0)
U, V = nn.Embedding(50, 16, sparse=True), nn.Embedding(50, 16, sparse=True)
nn.init.zeros_(V.weight)
opt = torch.optim.SparseAdam([*U.parameters(), *V.parameters()], lr=1e-2)
for _ in range(40):
    c = torch.randint(0, 50, (32,))
    o = (c + torch.randint(1, 3, (32,))) % 50
    neg = torch.randint(0, 50, (32, 5))
    pos = (U(c) * V(o)).sum(-1)
    bad = torch.bmm(V(neg), U(c).unsqueeze(-1)).squeeze(-1)
    loss = -(nn.functional.logsigmoid(pos) + nn.functional.logsigmoid(-bad).sum(-1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
