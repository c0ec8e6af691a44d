import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(4, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-2)

    def train_epoch(self):
        self.net.train()
        for _ in range(6):
            x = torch.randn(16, 4)
            loss = nn.functional.mse_loss(self.net(x), x[:, :1])
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    @torch.no_grad()  #!
    def evaluate(self):  #!
        self.net.eval()  #+
        x = torch.randn(32, 4)
        return nn.functional.mse_loss(self.net(x), x[:, :1]).item()  #!


torch.manual_seed(0)
trainer = Trainer()
for _ in range(3):
    trainer.train_epoch()
    trainer.evaluate()
