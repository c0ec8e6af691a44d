import torch
from torch import nn


def evaluate(model, x, y):
    model.eval()
    torch.set_grad_enabled(False)  #!
    acc = (model(x).argmax(1) == y).float().mean().item()
    torch.set_grad_enabled(True)  #+
    model.train()
    return acc


def train_one_epoch(model, opt, x, y):
    for xb, yb in zip(x.split(16), y.split(16)):
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()


torch.manual_seed(0)
x = torch.randn(64, 5)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Dropout(0.1), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    train_one_epoch(model, opt, x, y)
    print(epoch, evaluate(model, x, y))
