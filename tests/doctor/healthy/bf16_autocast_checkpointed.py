import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
torch.manual_seed(0)
l1, l2, l3 = nn.Linear(8, 32), nn.Linear(32, 32), nn.Linear(32, 2)
opt = torch.optim.Adam([*l1.parameters(), *l2.parameters(), *l3.parameters()], 3e-3)
for i in range(30):
    x = torch.randn(32, 8); y = (x[:, 0] > 0).long()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        h = checkpoint(lambda t: torch.relu(l2(torch.relu(l1(t)))), x, use_reentrant=False)
        loss = nn.functional.cross_entropy(l3(h).float(), y)
    opt.zero_grad(); loss.backward(); opt.step()
