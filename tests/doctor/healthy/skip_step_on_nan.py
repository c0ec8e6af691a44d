import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
skipped = 0
for step in range(40):
    x = torch.randn(16, 3)
    if step in (7, 23):
        x[0, 0] = float("nan")  # a broken record
    if torch.isnan(x).any():
        skipped += 1
        continue
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
