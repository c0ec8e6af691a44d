import torch
from torch import nn
from dataclasses import dataclass


@dataclass
class TrainConfig:
    lr: float = 1e-3
    micro_batches: int = 8
    batch: int = 4


class Trainer:
    def __init__(self, cfg, model):
        self.cfg, self.model = cfg, model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)

    def compute_loss(self, x, y):
        return nn.functional.cross_entropy(self.model(x), y)  #!

    def optimizer_step(self, x, y):
        for xb, yb in zip(x.split(self.cfg.batch), y.split(self.cfg.batch)):
            loss = self.compute_loss(xb, yb)  #!
            loss.backward()  #-!
            (loss / self.cfg.micro_batches).backward()  #+
        self.optimizer.step()
        self.optimizer.zero_grad()


torch.manual_seed(0)
t = Trainer(TrainConfig(), nn.Sequential(nn.Linear(9, 24), nn.Tanh(), nn.Linear(24, 3)))
for _ in range(15):
    x = torch.randn(32, 9)
    t.optimizer_step(x, x[:, :3].argmax(1))
