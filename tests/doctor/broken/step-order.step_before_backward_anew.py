import torch
from torch import nn


class Engine:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-3)

    def train_batch(self, x, y):
        loss = nn.functional.mse_loss(self.net(x), y)
        self.opt.zero_grad()
        self.opt.step()  #-!
        loss.backward()
        self.opt.step()  #+
        return loss.item()


torch.manual_seed(0)
engine = Engine()
for _ in range(20):
    x = torch.randn(16, 4)
    engine.train_batch(x, x.mean(1, keepdim=True))
