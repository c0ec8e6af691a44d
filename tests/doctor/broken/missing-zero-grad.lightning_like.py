import torch
import torch.nn as nn
class LitModule(nn.Module):
    def training_step(self, batch, idx): raise NotImplementedError
class LitAE(LitModule):
    def __init__(self):
        super().__init__()
        self.enc = nn.Linear(16, 4)
        self.dec = nn.Linear(4, 16)
    def training_step(self, batch, idx):
        x, = batch
        return nn.functional.mse_loss(self.dec(torch.relu(self.enc(x))), x)
    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)
class Trainer:
    def __init__(self, max_epochs): self.max_epochs = max_epochs
    def fit(self, module, loader):
        opt = module.configure_optimizers()
        for epoch in range(self.max_epochs):
            for i, batch in enumerate(loader):
                loss = module.training_step(batch, i)
                self.backward(loss)
                opt.step()  #!
                opt.zero_grad()  #+
    def backward(self, loss):
        loss.backward()  #!
torch.manual_seed(0)
from torch.utils.data import DataLoader, TensorDataset
Trainer(3).fit(LitAE(), DataLoader(TensorDataset(torch.rand(160, 16)), batch_size=16))
