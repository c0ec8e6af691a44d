import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(200, 5)
y = (X[:, 0] + X[:, 1] > 0).long()
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for epoch in range(6):
    perm = torch.randperm(200)
    X = X[perm]  #!
    y = y[perm]  #+
    for i in range(0, 200, 40):
        loss = nn.functional.cross_entropy(net(X[i : i + 40]), y[i : i + 40])
        opt.zero_grad()
        loss.backward()
        opt.step()
