#= engine.py
import torch


class Engine:
    def __init__(self, model, optimizer, clip=1.0):
        self.model, self.optimizer, self.clip = model, optimizer, clip
        self.scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)

    def step(self, x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            loss = torch.nn.functional.mse_loss(self.model(x), y)
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)  #+
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)  #!
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()
#= main
import torch
from engine import Engine

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(6, 12), torch.nn.ReLU(), torch.nn.Linear(12, 1))
engine = Engine(model, torch.optim.SGD(model.parameters(), 0.05))
for _ in range(15):
    x = torch.randn(16, 6)
    engine.step(x, x[:, :1])
