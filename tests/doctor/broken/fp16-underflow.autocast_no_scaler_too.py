import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14)  #+
for step in range(40):
    x = torch.randn(64, 32)
    y = x[:, :1] * 1e-2
    with torch.autocast("cpu", dtype=torch.float16):
        out = net(x)
        loss = (out.float() - y).pow(2).mean() * 1e-5  #!
    opt.zero_grad()
    loss.backward()  #-!
    opt.step()  #-
    scaler.scale(loss).backward()  #+
    scaler.step(opt)  #+
    scaler.update()  #+
