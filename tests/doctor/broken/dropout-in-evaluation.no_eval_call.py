import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def accuracy(model, loader):
    hits = n = 0
    model.eval()  #+
    with torch.no_grad():
        for x, y in loader:
            hits += (model(x).argmax(1) == y).sum().item()  #!
            n += len(y)
    model.train()  #+
    return hits / n


torch.manual_seed(0)
x = torch.randn(240, 8)
y = (x[:, 0] > x[:, 1]).long()
train = DataLoader(TensorDataset(x[:180], y[:180]), 30, shuffle=True)
test = DataLoader(TensorDataset(x[180:], y[180:]), 30)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for xb, yb in train:
        opt.zero_grad()
        nn.functional.cross_entropy(model(xb), yb).backward()
        opt.step()
    print(epoch, accuracy(model, test))
