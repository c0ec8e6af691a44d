import torch
from torch import nn
best = 1e9
x = torch.linspace(-1, 1, 40).view(-1, 1); y = x ** 3
for seed in range(4):
    torch.manual_seed(seed); net = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1)); opt = torch.optim.Adam(net.parameters(), 2e-2)
    for _ in range(30):
        loss = nn.functional.mse_loss(net(x), y); opt.zero_grad(); loss.backward(); opt.step()
    best = min(best, loss.item())
