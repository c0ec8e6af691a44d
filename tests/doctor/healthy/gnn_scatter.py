import torch
from torch import nn

torch.manual_seed(0)
n = 30
edges = torch.randint(0, n, (2, 90))
x = torch.randn(n, 6)
y = (x[:, 0] > 0).long()
w1, w2 = nn.Linear(12, 16), nn.Linear(16, 2)
train = torch.rand(n) < 0.7
opt = torch.optim.Adam([*w1.parameters(), *w2.parameters()], lr=1e-2)
for _ in range(25):
    agg = torch.zeros_like(x).index_add(0, edges[1], x[edges[0]])
    deg = torch.zeros(n).index_add(0, edges[1], torch.ones(90)).clamp(min=1)
    h = torch.relu(w1(torch.cat([x, agg / deg[:, None]], 1)))
    logits = w2(h)
    loss = nn.functional.cross_entropy(logits[train], y[train])
    opt.zero_grad()
    loss.backward()
    opt.step()
