import torch
from torch import nn

torch.manual_seed(0)
x = torch.randint(0, 200, (256, 6)).float()
y = x.sum(1, keepdim=True) / 100
net = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for _ in range(60):
    k = torch.randint(0, 256, (64,))
    loss = nn.functional.mse_loss(net(x[k]), y[k])
    opt.zero_grad()
    loss.backward()
    opt.step()
