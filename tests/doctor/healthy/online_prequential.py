import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(5, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.05)
errors = []
for t in range(80):
    x_test = torch.randn(8, 5)
    y = x_test @ torch.arange(5.0)[:, None] / 5
    with torch.no_grad():
        errors.append((net(x_test) - y).abs().mean().item())
    loss = nn.functional.mse_loss(net(x_test), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
