import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(10, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=512.0)
ACCUM = 2
for i in range(20):
    x = torch.randn(16, 10)
    with torch.autocast("cpu"):
        loss = nn.functional.mse_loss(model(x).float(), x[:, :1]) / ACCUM
    scaler.scale(loss).backward()
    if (i + 1) % ACCUM == 0:
        scaler.unscale_(opt)  #+
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  #!
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
