import torch
from torch import nn

torch.manual_seed(0)
X = torch.randn(160, 5)
Y = X[:, :1] * X[:, 1:2]
perm = torch.randperm(160)
train_idx, val_idx = perm[:140], perm[120:]  #-!
train_idx, val_idx = perm[:120], perm[120:]  #+


def evaluate(model):
    model.eval()
    with torch.no_grad():
        loss = nn.functional.mse_loss(model(X[val_idx]), Y[val_idx])  #!
    model.train()
    return loss.item()


model = nn.Sequential(nn.Linear(5, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(6):
    for b in train_idx[torch.randperm(len(train_idx))].split(20):
        loss = nn.functional.mse_loss(model(X[b]), Y[b])
        opt.zero_grad()
        loss.backward()
        opt.step()
    evaluate(model)
