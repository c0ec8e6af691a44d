import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for _ in range(12):
    x = torch.randn(16, 5)
    loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    total = torch.sqrt(sum((p.grad**2).sum() for p in model.parameters()))  #!
    if total > 1.0:
        for p in model.parameters():
            p.grad.mul_(1.0 / total)  #!
    scaler.step(opt)
    scaler.update()
