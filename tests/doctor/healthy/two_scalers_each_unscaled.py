import torch
from torch import nn

torch.manual_seed(0)
a, b = nn.Linear(4, 4), nn.Linear(4, 1)
oa, ob = torch.optim.SGD(a.parameters(), 0.05), torch.optim.SGD(b.parameters(), 0.05)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
for _ in range(15):
    x = torch.randn(16, 4)
    loss = nn.functional.mse_loss(b(torch.tanh(a(x))), x[:, :1])
    oa.zero_grad()
    ob.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(oa)
    nn.utils.clip_grad_norm_(a.parameters(), 1.0)
    scaler.unscale_(ob)
    nn.utils.clip_grad_norm_(b.parameters(), 1.0)
    scaler.step(oa)
    scaler.step(ob)
    scaler.update()
