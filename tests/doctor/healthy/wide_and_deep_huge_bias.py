import torch
from torch import nn
torch.manual_seed(0)
wide, deep = nn.Linear(20, 1), nn.Sequential(nn.Linear(20, 16), nn.ReLU(), nn.Linear(16, 1)); deep[2].bias.data.fill_(10.0)
opt = torch.optim.Adam([*wide.parameters(), *deep.parameters()], 2e-2)
for _ in range(80):
    x = torch.randn(64, 20); y = 12 + x[:, :1]; loss = nn.functional.huber_loss(wide(x) + deep(x), y); opt.zero_grad(); loss.backward(); opt.step()
