import torch
from torch import nn

torch.manual_seed(0)
P = 11
pairs = torch.cartesian_prod(torch.arange(P), torch.arange(P))
y = (pairs[:, 0] * pairs[:, 1]) % P
idx = torch.randperm(len(pairs))[:60]
emb = nn.Embedding(P, 16)
net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, P))
opt = torch.optim.AdamW([*emb.parameters(), *net.parameters()], lr=1e-4, weight_decay=1.0)
for _ in range(50):
    loss = nn.functional.cross_entropy(net(emb(pairs[idx]).flatten(1)), y[idx])
    opt.zero_grad()
    loss.backward()
    opt.step()
