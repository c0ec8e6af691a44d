import torch
from torch import nn
from torch.nn.utils import clip_grad_value_

torch.manual_seed(0)


class Trainer:
    def __init__(self):
        self.model = nn.Linear(4, 1)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

    def step(self, x):
        self.opt.zero_grad()
        loss = (self.model(x) - x[:, :1]).pow(2).mean()
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.opt)  #+
        clip_grad_value_(self.model.parameters(), 0.5)  #!
        self.scaler.step(self.opt)
        self.scaler.update()


trainer = Trainer()
for _ in range(8):
    trainer.step(torch.randn(12, 4))
