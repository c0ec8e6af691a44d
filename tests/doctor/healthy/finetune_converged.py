import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(4, 1)
x = torch.randn(64, 4)
y = net(x).detach()
opt = torch.optim.Adam(net.parameters(), 1e-4)
for _ in range(40):
    loss = nn.functional.mse_loss(net(x), y + 0.01 * torch.randn_like(y))
    opt.zero_grad()
    loss.backward()
    opt.step()
