import torch
from torch import nn


class LitModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))
        self.outputs = []

    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self.net(x)
        loss = nn.functional.cross_entropy(logits, y)
        self.outputs.append({"loss": loss, "logits": logits})  #-!
        self.outputs.append({"loss": loss.item()})  #+
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3)


class Trainer:
    def fit(self, module, batches):
        opt = module.configure_optimizers()
        for i, batch in enumerate(batches):
            loss = module.training_step(batch, i)
            opt.zero_grad()
            loss.backward()
            opt.step()


torch.manual_seed(0)
Trainer().fit(LitModule(), [(torch.randn(8, 5), torch.randint(0, 2, (8,))) for _ in range(30)])
