import torch
from torch import nn


class Trainer:
    def __init__(self):
        self.net = nn.Sequential(nn.Linear(24, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 3))
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.5)
        self.scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14)  #+

    def step(self, x, y):
        with torch.autocast("cpu", dtype=torch.float16):
            loss = nn.functional.cross_entropy(self.net(x), y) * 1e-6  #-!
            loss = nn.functional.cross_entropy(self.net(x), y) * 1e-1  #+
        self.opt.zero_grad()
        loss.backward()  #-!
        self.opt.step()  #-
        self.scaler.scale(loss).backward()  #+
        self.scaler.step(self.opt)  #+
        self.scaler.update()  #+


torch.manual_seed(0)
t = Trainer()
for _ in range(40):
    x = torch.randn(64, 24)
    t.step(x, x[:, :3].argmax(1))
