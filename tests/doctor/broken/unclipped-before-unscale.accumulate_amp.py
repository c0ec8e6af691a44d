import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.SiLU(), nn.Linear(16, 1))
opt = torch.optim.AdamW(net.parameters(), lr=2e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
data = [torch.randn(8, 5) for _ in range(40)]
opt.zero_grad()
for i, x in enumerate(data):
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True)) / 4
    scaler.scale(loss).backward()
    if i % 4 == 3:
        scaler.unscale_(opt)  #+
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  #!
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
