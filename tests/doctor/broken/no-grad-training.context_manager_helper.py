from contextlib import contextmanager

import torch
from torch import nn


@contextmanager
def mode(model, training):
    model.train(training)
    torch.set_grad_enabled(training)  #-!
    with torch.set_grad_enabled(training):  #+
        yield  #+
    yield  #-


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Dropout(0.2), nn.Linear(24, 2))
opt = torch.optim.Adam(model.parameters(), lr=5e-3)
X = torch.randn(120, 6)
Y = (X[:, 0] > 0).long()
for epoch in range(5):
    model.train()
    for i in range(0, 100, 20):
        loss = nn.functional.cross_entropy(model(X[i : i + 20]), Y[i : i + 20])
        opt.zero_grad()
        loss.backward()
        opt.step()
    with mode(model, False):
        acc = (model(X[100:]).argmax(1) == Y[100:]).float().mean()
