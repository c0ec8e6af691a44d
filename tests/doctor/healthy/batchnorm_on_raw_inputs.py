import torch
from torch import nn
torch.manual_seed(0)
X = torch.cat([torch.rand(240, 1) * 5000, torch.rand(240, 1) * 3, torch.randint(1900, 2020, (240, 1)).float()], 1)
y = X[:, :1] / 2500 - X[:, 1:2]
net = nn.Sequential(nn.BatchNorm1d(3), nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for ep in range(10):
    for b in torch.randperm(240).split(48):
        loss = nn.functional.mse_loss(net(X[b]), y[b])
        opt.zero_grad(); loss.backward(); opt.step()
