import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(12):
    X = torch.randn(48, 5)
    Y = X[:, :3].argmax(1)
    opt.zero_grad()
    for xb, yb in zip(X.split(12), Y.split(12)):
        loss = nn.functional.cross_entropy(model(xb), yb, reduction="sum") / 48
        loss.backward()
    opt.step()
