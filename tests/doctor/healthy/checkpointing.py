import torch
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
blocks = torch.nn.ModuleList(
    torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh()) for _ in range(3)
)
head = torch.nn.Linear(8, 1)
opt = torch.optim.Adam([*blocks.parameters(), *head.parameters()], lr=1e-2)
for _ in range(15):
    x = h = torch.randn(16, 8)
    for b in blocks:
        h = checkpoint(b, h, use_reentrant=False)
    loss = (head(h) - x[:, :1]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
