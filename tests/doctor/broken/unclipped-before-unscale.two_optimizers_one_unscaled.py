import torch
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(8, 4), nn.Linear(4, 8)
opt_e = torch.optim.Adam(enc.parameters(), lr=1e-3)
opt_d = torch.optim.Adam(dec.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=256.0)
for _ in range(10):
    x = torch.randn(16, 8)
    loss = nn.functional.mse_loss(dec(torch.relu(enc(x))), x)
    opt_e.zero_grad()
    opt_d.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt_e)
    scaler.unscale_(opt_d)  #+
    nn.utils.clip_grad_norm_(enc.parameters(), 1.0)
    nn.utils.clip_grad_norm_(dec.parameters(), 1.0)  #!
    scaler.step(opt_e)
    scaler.step(opt_d)
    scaler.update()
