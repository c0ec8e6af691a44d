import copy

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
q_enc = nn.Linear(8, 4)
k_enc = copy.deepcopy(q_enc)
for p in k_enc.parameters():
    p.requires_grad = False
queue = F.normalize(torch.randn(4, 32), dim=0)
ptr = 0
opt = torch.optim.SGD(q_enc.parameters(), lr=0.03, momentum=0.9)
for _ in range(20):
    x = torch.randn(8, 8)
    q = F.normalize(q_enc(x + 0.1 * torch.randn_like(x)), dim=1)
    with torch.no_grad():
        for pq, pk in zip(q_enc.parameters(), k_enc.parameters()):
            pk.data = pk.data * 0.99 + pq.data * 0.01
        k = F.normalize(k_enc(x), dim=1)
    pos = (q * k).sum(1, keepdim=True)
    neg = q @ queue.clone().detach()
    loss = F.cross_entropy(torch.cat([pos, neg], 1) / 0.07, torch.zeros(8, dtype=torch.long))
    opt.zero_grad()
    loss.backward()
    opt.step()
    queue[:, ptr : ptr + 8] = k.t()
    ptr = (ptr + 8) % 32
