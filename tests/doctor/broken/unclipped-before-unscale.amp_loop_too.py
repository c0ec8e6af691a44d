import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for it in range(20):
    x = torch.randn(32, 8)
    y = x[:, :1].abs()
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):
        loss = nn.functional.mse_loss(model(x).float(), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  #!
    scaler.step(opt)
    scaler.update()
