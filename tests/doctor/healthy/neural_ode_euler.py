import torch
from torch import nn

torch.manual_seed(0)
field = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
opt = torch.optim.Adam(field.parameters(), lr=1e-2)
A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
for _ in range(15):
    y0 = torch.randn(16, 2)
    with torch.no_grad():
        true = [y0]
        for _ in range(10):
            true.append(true[-1] + 0.05 * true[-1] @ A)
    y, loss = y0, 0.0
    for t in range(10):
        y = y + 0.05 * field(y)
        loss = loss + (y - true[t + 1]).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
