import torch
from torch import nn

torch.manual_seed(0)


class LitModel:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 1))

    def training_step(self, batch, batch_idx):
        x, y = batch
        with torch.inference_mode():  #-!
            pred = self.net(x)  #-
        pred = self.net(x)  #+
        return nn.functional.mse_loss(pred, y)  #!

    def configure_optimizers(self):
        return torch.optim.Adam(self.net.parameters(), lr=1e-3)


class Trainer:
    def fit(self, module, batches):
        optimizer = module.configure_optimizers()
        for i, batch in enumerate(batches):
            loss = module.training_step(batch, i)
            optimizer.zero_grad()
            loss.backward()  #!
            optimizer.step()


Trainer().fit(LitModel(), [(torch.randn(16, 6), torch.randn(16, 1)) for _ in range(12)])
