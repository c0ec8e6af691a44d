import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)


def clip_(params, limit):
    for p in params:
        p.grad.clamp_(-limit, limit)  #!


for epoch in range(12):
    x = torch.randn(32, 4)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)  #+
    clip_(model.parameters(), 1.0)  #!
    scaler.step(optimizer)
    scaler.update()
