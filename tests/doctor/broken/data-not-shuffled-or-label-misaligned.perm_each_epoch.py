import torch
import torch.nn as nn
torch.manual_seed(0)
X = torch.randn(256, 6)
Y = X[:, :1] * 2 + X[:, 1:2]
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=3e-3)
for epoch in range(4):
    idx = torch.randperm(256)
    idy = torch.randperm(256)  #-
    for i in range(0, 256, 32):
        xb = X[idx[i:i + 32]]
        yb = Y[idy[i:i + 32]]  #-!
        yb = Y[idx[i:i + 32]]  #+
        loss = nn.functional.mse_loss(net(xb), yb)
        opt.zero_grad(); loss.backward(); opt.step()
