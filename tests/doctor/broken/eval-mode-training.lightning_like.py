import torch
from torch import nn


class LightningLike(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 8, num_layers=2, dropout=0.3, batch_first=True)
        self.head = nn.Linear(8, 1)

    def training_step(self, batch):
        x, y = batch
        return nn.functional.mse_loss(self.head(self.rnn(x)[0][:, -1]), y)

    def validation_step(self, batch):
        return self.training_step(batch)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class Trainer:
    def fit(self, module, train_data, val_data, epochs):
        opt = module.configure_optimizers()
        self.sanity_check(module, val_data[:1])
        for _ in range(epochs):
            for batch in train_data:
                opt.zero_grad()
                module.training_step(batch).backward()
                opt.step()

    def sanity_check(self, module, batches):
        module.eval()  #!
        with torch.no_grad():
            for batch in batches:
                module.validation_step(batch)
        module.train()  #+


torch.manual_seed(0)
data = []
for _ in range(6):
    x = torch.randn(8, 5, 4)
    data.append((x, x.mean((1, 2))[:, None]))
Trainer().fit(LightningLike(), data, data, 3)
