import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)
X = torch.randn(200, 5)
y = (X[:, 0] > 0).long()
train = DataLoader(TensorDataset(X[:160], y[:160]), batch_size=32, shuffle=True)
val = DataLoader(TensorDataset(X[160:], y[160:]), batch_size=40)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
opt = torch.optim.Adam(model.parameters())
crit = nn.CrossEntropyLoss()

def evaluate():
    model.eval()
    torch.set_grad_enabled(False)  #!
    correct = 0
    for xb, yb in val:
        correct += (model(xb).argmax(1) == yb).sum().item()
    torch.set_grad_enabled(True)  #+
    return correct / 40

for epoch in range(5):
    model.train()
    for xb, yb in train:
        opt.zero_grad()
        loss = crit(model(xb), yb)
        loss.backward()
        opt.step()
    print(epoch, evaluate())
