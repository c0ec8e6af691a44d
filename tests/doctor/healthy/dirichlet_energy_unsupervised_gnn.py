import torch
from torch import nn

torch.manual_seed(0)
n = 24
A = (torch.rand(n, n) < 0.2).float()
A = ((A + A.T) > 0).float()
A.fill_diagonal_(1)
A = A / A.sum(1, keepdim=True)
X = torch.randn(n, 6)
y = (A @ X)[:, 0].gt(0).long()
l1, l2 = nn.Linear(6, 16), nn.Linear(16, 2)
mask = torch.rand(n) < 0.6
opt = torch.optim.Adam([*l1.parameters(), *l2.parameters()], lr=2e-2, weight_decay=5e-4)
for epoch in range(50):
    out = A @ l2(torch.relu(A @ l1(X)))
    loss = nn.functional.cross_entropy(out[mask], y[mask])
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        acc = (out[~mask].argmax(1) == y[~mask]).float().mean()
