import torch
from torch import nn, optim

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 9), nn.SiLU(), nn.Linear(9, 2))
optimizer = optim.NAdam(model.parameters(), lr=1e-3)


def fit_batch(x, y):
    optimizer.zero_grad()
    mse = nn.functional.mse_loss(model(x), y)
    reg = mse * 0.1 + sum(p.abs().sum() for p in model.parameters()) * 1e-4
    mse.backward()  #-!
    reg.backward()  #-!
    (mse + reg).backward()  #+
    optimizer.step()


for _ in range(10):
    x = torch.randn(32, 3)
    fit_batch(x, x[:, :2].sin())
