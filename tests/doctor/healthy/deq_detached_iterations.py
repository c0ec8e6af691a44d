import torch
from torch import nn

torch.manual_seed(0)
f = nn.Linear(16, 8)
out = nn.Linear(8, 2)
with torch.no_grad():
    f.weight.mul_(0.3)
opt = torch.optim.Adam([*f.parameters(), *out.parameters()], lr=5e-3)
for _ in range(25):
    x = torch.randn(32, 8)
    with torch.no_grad():
        z = torch.zeros(32, 8)
        for _ in range(15):
            z = torch.tanh(f(torch.cat([z, x], 1)))
    z = torch.tanh(f(torch.cat([z, x], 1)))
    loss = nn.functional.cross_entropy(out(z), (x[:, 0] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
