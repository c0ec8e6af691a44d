import copy

import torch
from torch import nn


class EarlyStopping:
    def __init__(self, patience):
        self.patience, self.best, self.bad, self.state = patience, float("inf"), 0, None

    def __call__(self, loss, model):
        if loss < self.best - 1e-4:
            self.best, self.bad, self.state = loss, 0, copy.deepcopy(model.state_dict())
        else:
            self.bad += 1
        return self.bad >= self.patience


torch.manual_seed(0)
x, xv = torch.randn(32, 10), torch.randn(64, 10)
y, yv = x[:, :1] + torch.randn(32, 1), xv[:, :1] + torch.randn(64, 1)
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
stop = EarlyStopping(5)
for epoch in range(60):
    model.train()
    opt.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    opt.step()
    model.eval()
    with torch.no_grad():
        v = nn.functional.mse_loss(model(xv), yv).item()
    if stop(v, model):
        break
model.load_state_dict(stop.state)
