import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, lr=3e-3):
        self.model = model
        self.optim = torch.optim.AdamW(model.parameters(), lr=lr)
        self.loss_fn = nn.SmoothL1Loss()
        self.history = []

    def training_step(self, batch):
        xb, yb = batch
        return self.loss_fn(self.model(xb), yb)

    def fit(self, loader, epochs):
        for _ in range(epochs):
            self.optim.zero_grad()  #-
            running = 0.0
            for batch in loader:
                self.optim.zero_grad()  #+
                loss = self.training_step(batch)
                loss.backward()  #!
                self.optim.step()  #!
                running += loss.item()
            self.history.append(running / len(loader))


torch.manual_seed(1)
X = torch.randn(240, 5)
Y = X[:, :1] * X[:, 1:2] + 0.5 * X[:, 2:3]
trainer = Trainer(nn.Sequential(nn.Linear(5, 32), nn.GELU(), nn.Linear(32, 1)))
trainer.fit(DataLoader(TensorDataset(X, Y), batch_size=24, shuffle=True), epochs=6)
