import torch
from torch import nn


class Lit(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2))

    def training_step(self, x, y):
        return nn.functional.cross_entropy(self.net(x), y)

    def on_before_optimizer_step(self, optimizer, scaler):
        scaler.unscale_(optimizer)  #+
        nn.utils.clip_grad_norm_(self.parameters(), 0.1)  #!


torch.manual_seed(0)
lit = Lit()
optimizer = torch.optim.SGD(lit.parameters(), lr=0.3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**13)
for _ in range(20):
    x = torch.randn(24, 6)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = lit.training_step(x, (x[:, 0] > 0).long())
    scaler.scale(loss).backward()
    lit.on_before_optimizer_step(optimizer, scaler)
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
