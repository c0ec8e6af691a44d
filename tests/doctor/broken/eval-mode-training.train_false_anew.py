import torch
from torch import nn


class Trainer:
    def __init__(self, model, optimizer, loss_fn):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn

    def fit(self, batches, val, epochs):
        for epoch in range(epochs):
            self.model.train(False)  #-!
            self.model.train(True)  #+
            for x, y in batches:
                self.optimizer.zero_grad()
                loss = self.loss_fn(self.model(x), y)  #!
                loss.backward()
                self.optimizer.step()
            self.model.train(False)
            with torch.no_grad():
                self.loss_fn(self.model(val[0]), val[1])


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 1))
mk = lambda: (torch.randn(16, 6), torch.randn(16, 1))
Trainer(model, torch.optim.Adam(model.parameters()), nn.MSELoss()).fit([mk() for _ in range(6)], mk(), 3)
