import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)
        self.best = float("inf")

    def validate(self, batches):
        self.model.eval()  #!
        total = 0.0
        with torch.no_grad():
            for x, y in batches:
                total += nn.functional.cross_entropy(self.model(x), y).item()
        return total / len(batches)

    def fit(self, train, val, epochs):
        self.best = self.validate(val)
        for epoch in range(epochs):
            self.model.train()  #+
            for x, y in train:
                loss = nn.functional.cross_entropy(self.model(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
            self.best = min(self.best, self.validate(val))


torch.manual_seed(0)
net = nn.Sequential(
    nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(), nn.Dropout(0.3), nn.Linear(6 * 36, 3)
)
data = [(torch.randn(8, 1, 8, 8), torch.randint(0, 3, (8,))) for _ in range(6)]
Trainer(net).fit(data[:4], data[4:], 4)
