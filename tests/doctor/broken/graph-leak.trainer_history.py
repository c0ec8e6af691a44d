import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.losses = []

    def step(self, x, y):
        self.optimizer.zero_grad()
        loss = ((self.model(x) - y) ** 2).mean()
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss)  #-!
        self.losses.append(float(loss))  #+
        return loss

    def fit(self, n):
        for _ in range(n):
            x = torch.randn(16, 3)
            self.step(x, x.sum(1, keepdim=True))


torch.manual_seed(0)
Trainer(nn.Sequential(nn.Linear(3, 10), nn.ReLU(), nn.Linear(10, 1)), 1e-2).fit(30)
