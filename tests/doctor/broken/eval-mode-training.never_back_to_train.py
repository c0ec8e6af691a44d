import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.3), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=3e-3)
X = torch.randn(200, 10)
Y = (X[:, 0] + X[:, 1] > 0).long()
train, valid = slice(0, 160), slice(160, 200)
for epoch in range(12):
    model.train()  #+
    for i in range(0, 160, 32):
        loss = nn.functional.cross_entropy(model(X[train][i : i + 32]), Y[train][i : i + 32])
        opt.zero_grad()
        loss.backward()
        opt.step()
    model.eval()  #!
    with torch.no_grad():
        acc = (model(X[valid]).argmax(1) == Y[valid]).float().mean()
