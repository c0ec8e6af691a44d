import torch
import torch.nn as nn
torch.manual_seed(0)
X = torch.randn(400, 10)
y = (X @ torch.randn(10) > 0).long()
X = X[torch.randperm(len(X))]  #-!
y = y[torch.randperm(len(y))]  #-!
perm = torch.randperm(len(X))  #+
X, y = X[perm], y[perm]  #+
model = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for e in range(5):
    for i in range(0, 400, 40):
        loss = nn.functional.cross_entropy(model(X[i:i + 40]), y[i:i + 40])
        opt.zero_grad()
        loss.backward()
        opt.step()
