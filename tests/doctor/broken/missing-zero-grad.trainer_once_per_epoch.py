import torch
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

class Trainer:
    def __init__(self, model, lr=0.05, epochs=3):
        self.model = model
        self.epochs = epochs
        self.loss_fn = nn.CrossEntropyLoss()
        self.optimizer = optim.SGD(model.parameters(), lr=lr, momentum=0.9)

    def train_epoch(self, loader):
        self.model.train()
        total = 0.0
        self.optimizer.zero_grad()  #-
        for xb, yb in loader:
            self.optimizer.zero_grad()  #+
            out = self.model(xb)
            loss = self.loss_fn(out, yb)
            loss.backward()  #!
            self.optimizer.step()  #!
            total += loss.item()
        return total / len(loader)

    def fit(self, loader):
        for e in range(self.epochs):
            l = self.train_epoch(loader)
            print(f"epoch {e}: {l:.4f}")

if __name__ == "__main__":
    torch.manual_seed(1)
    X = torch.randn(320, 10)
    w = torch.randn(10, 4)
    y = (X @ w).argmax(1)
    loader = DataLoader(TensorDataset(X, y), batch_size=32, shuffle=True)
    Trainer(nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 4))).fit(loader)
