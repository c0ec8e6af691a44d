import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Conv2d(1, 6, 3), nn.ReLU(), nn.Flatten(), nn.Linear(6 * 9, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for i in range(24):
    x = torch.randn(12, 1, 5, 5)
    y = (x.mean((1, 2, 3)) > 0).long()
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    scaler.scale(loss).backward()
    if i % 1 == 0:
        scaler.unscale_(opt)  #+
        total = torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.grad is not None], max_norm=2.0)  #!
    scaler.step(opt)
    scaler.update()
