import torch, torch.nn as nn
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
b1, b2, head = nn.Sequential(nn.Linear(8, 32), nn.GELU()), nn.Sequential(nn.Linear(32, 32), nn.GELU()), nn.Linear(32, 1)
opt = torch.optim.Adam([*b1.parameters(), *b2.parameters(), *head.parameters()], 1e-3)
for i in range(30):
    x = torch.randn(64, 8); y = x.pow(2).sum(1, keepdim=True)
    h = checkpoint(b1, x, use_reentrant=False)
    h = checkpoint(b2, h, use_reentrant=False)
    loss = nn.functional.mse_loss(head(h), y)
    opt.zero_grad(); loss.backward(); opt.step()
