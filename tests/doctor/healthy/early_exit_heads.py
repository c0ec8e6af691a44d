import torch, torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
blocks = nn.ModuleList([nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(16, 16)])
exits = nn.ModuleList([nn.Linear(16, 2) for _ in range(3)])
opt = torch.optim.Adam([*blocks.parameters(), *exits.parameters()], lr=5e-3)
for _ in range(40):
    x = torch.randn(32, 6); y = (x.sum(1) > 0).long()
    loss, h = 0, x
    for k, (b, e) in enumerate(zip(blocks, exits)):
        h = F.relu(b(h))
        loss = loss + (k + 1) / 6 * F.cross_entropy(e(h), y)
    opt.zero_grad(set_to_none=False); loss.backward(); opt.step()
