import torch
from torch import nn

torch.manual_seed(0)
shared, head_a, head_b = nn.Linear(6, 12), nn.Linear(12, 1), nn.Linear(12, 3)
opt = torch.optim.Adam([*shared.parameters(), *head_a.parameters(), *head_b.parameters()], lr=1e-2)
for step in range(24):
    x = torch.randn(16, 6)
    h = torch.relu(shared(x))
    opt.zero_grad()
    if step % 2:
        loss = (head_a(h) - x[:, :1]).pow(2).mean()
    else:
        loss = nn.functional.cross_entropy(head_b(h), x[:, :3].argmax(1))
    loss.backward()
    opt.step()
