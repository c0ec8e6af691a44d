import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(200, 5)
y = (X[:, 0] > 0).long()
perm = torch.randperm(200)  #+
X = X[torch.randperm(200)]  #-!
y = y[torch.randperm(200)]  #-!
X, y = X[perm], y[perm]  #+
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    for i in range(0, 200, 20):
        loss = nn.functional.cross_entropy(model(X[i : i + 20]), y[i : i + 20])  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
