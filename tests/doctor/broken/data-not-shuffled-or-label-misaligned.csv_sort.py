import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(300, 4)
y = (X[:, 0] > 0).long()
order = y.argsort()  #-
order = torch.randperm(300)  #+
X, y = X[order], y[order]
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.5)
for epoch in range(6):
    for i in range(0, 300, 30):
        xb, yb = X[i : i + 30], y[i : i + 30]  #!
        loss = nn.functional.cross_entropy(net(xb), yb)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
