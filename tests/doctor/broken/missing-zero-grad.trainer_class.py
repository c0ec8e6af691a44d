import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.loss_fn = nn.CrossEntropyLoss()

    def training_step(self, batch):
        inputs, labels = batch
        return self.loss_fn(self.model(inputs), labels)

    def fit(self, loader, epochs):
        for _ in range(epochs):
            self.optimizer.zero_grad()  #-
            for batch in loader:
                self.optimizer.zero_grad()  #+
                loss = self.training_step(batch)
                loss.backward()  #!
                self.optimizer.step()


data = torch.randn(96, 6)
labels = (data[:, 0] > 0).long()
loader = DataLoader(TensorDataset(data, labels), batch_size=8, shuffle=True)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
Trainer(net, 1e-2).fit(loader, 2)
