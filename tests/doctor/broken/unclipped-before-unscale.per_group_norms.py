import torch
from torch import nn

torch.manual_seed(0)
enc, dec = nn.Linear(8, 4), nn.Linear(4, 8)
opt = torch.optim.Adam([*enc.parameters(), *dec.parameters()], lr=1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**11)
for _ in range(20):
    x = torch.randn(32, 8)
    loss = (dec(enc(x)) - x).pow(2).mean()
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    for part in (enc, dec):
        nn.utils.clip_grad_norm_(part.parameters(), 1.0)  #!
    scaler.step(opt)
    scaler.update()
