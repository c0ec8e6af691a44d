import torch
from torch import nn

torch.manual_seed(0)
gate, experts = nn.Linear(5, 3), nn.Linear(5, 3)
opt = torch.optim.Adam([*gate.parameters(), *experts.parameters()], lr=1e-2)
for _ in range(30):
    x = torch.randn(32, 5)
    p = (gate(x).softmax(1) * experts(x).sigmoid()).sum(1)
    loss = nn.functional.binary_cross_entropy(p, (x[:, 0] > 0).float())
    opt.zero_grad()
    loss.backward()
    opt.step()
