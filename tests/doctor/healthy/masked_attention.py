import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
embed, q, k, v, out = nn.Embedding(15, 16), *(nn.Linear(16, 16) for _ in range(3)), nn.Linear(16, 15)
params = [p for m in (embed, q, k, v, out) for p in m.parameters()]
opt = torch.optim.Adam(params, lr=3e-3)
causal = torch.triu(torch.ones(7, 7, dtype=torch.bool), 1)
for _ in range(15):
    ids = torch.randint(0, 15, (8, 8))
    h = embed(ids[:, :-1])
    scores = q(h) @ k(h).transpose(1, 2) / 4
    weights = F.softmax(scores.masked_fill(causal, float("-inf")), dim=-1)
    loss = F.cross_entropy(out(weights @ v(h)).transpose(1, 2), ids[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
