import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(net.parameters(), lr=1e-6)
x = torch.randn(64, 6)
y = x[:, :1]
history = []
best = float("inf")
for i in range(80):
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    history.append((opt.param_groups[0]["lr"], loss.item()))
    best = min(best, loss.item())
    if loss.item() > 4 * best:
        break
    opt.param_groups[0]["lr"] *= 1.2
