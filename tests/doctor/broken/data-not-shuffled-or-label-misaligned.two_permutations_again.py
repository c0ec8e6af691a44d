import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(200, 6)
y = X[:, :3].argmax(1)
perm = torch.randperm(200)
X = X[perm]  #!
y = y[torch.randperm(200)]  #-!
y = y[perm]  #+
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(5):
    for xb, yb in zip(X.split(40), y.split(40)):
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
