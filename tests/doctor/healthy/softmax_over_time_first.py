import torch
from torch import nn

torch.manual_seed(0)
proj, score, head = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)
opt = torch.optim.Adam([*proj.parameters(), *score.parameters(), *head.parameters()], lr=1e-2)
for _ in range(20):
    x = torch.randn(10, 16, 4)
    h = torch.tanh(proj(x))
    weights = torch.softmax(score(h), dim=0)
    pooled = (weights * h).sum(0)
    loss = (head(pooled) - x.mean((0, 2)).unsqueeze(1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
