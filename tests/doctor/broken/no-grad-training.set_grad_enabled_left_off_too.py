import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def evaluate(model, loader):
    model.eval()
    torch.set_grad_enabled(False)  #-!
    correct = 0
    with torch.no_grad():  #+
        for x, y in loader:  #+
            correct += (model(x).argmax(1) == y).sum().item()  #+
    for x, y in loader:  #-
        correct += (model(x).argmax(1) == y).sum().item()  #-
    model.train()
    return correct


torch.manual_seed(0)
x = torch.randn(160, 8)
y = x[:, :3].argmax(1)
train = DataLoader(TensorDataset(x[:120], y[:120]), 20, shuffle=True)
val = DataLoader(TensorDataset(x[120:], y[120:]), 40)
model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Dropout(0.1), nn.Linear(24, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.2)
for epoch in range(4):
    for xb, yb in train:
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(evaluate(model, val))
