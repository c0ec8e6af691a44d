import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1)); opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for it in range(25):
    X = torch.randn(50, 5); Y = X[:, :1] * X[:, 1:2]
    opt.zero_grad()
    for x, y in zip(X.split(16), Y.split(16)):
        (nn.functional.mse_loss(net(x), y, reduction="sum") / len(X)).backward()
    opt.step()
