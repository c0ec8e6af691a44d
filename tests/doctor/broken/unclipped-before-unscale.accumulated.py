import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 3))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
accum = 2
for i in range(24):
    x = torch.randn(8, 6)
    y = x[:, :3].argmax(1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.cross_entropy(net(x), y) / accum
    scaler.scale(loss).backward()
    if (i + 1) % accum == 0:
        torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)  #-!
        scaler.unscale_(optimizer)  #+
        torch.nn.utils.clip_grad_value_(net.parameters(), 0.5)  #+
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
