import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
X = torch.randn(320, 12)
y = (X[:, :2].sum(1) > 0).long()
tr = DataLoader(TensorDataset(X[:256], y[:256]), batch_size=32, shuffle=True)
va = DataLoader(TensorDataset(X[256:], y[256:]), batch_size=64)
model = nn.Sequential(nn.Linear(12, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
lossf = nn.CrossEntropyLoss()
model.train()  #-
for epoch in range(5):
    model.train()  #+
    for xb, yb in tr:
        opt.zero_grad()
        lossf(model(xb), yb).backward()
        opt.step()
    model.eval()  #!
    with torch.no_grad():
        acc = sum((model(a).argmax(1) == b).sum().item() for a, b in va) / 64
    print(epoch, acc)
