import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), lr=1.0)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**13)  #+
for _ in range(30):
    x = torch.randn(128, 16)
    with torch.autocast("cpu", dtype=torch.float16):
        pred = net(x)
    loss = ((pred.float() - x[:, :1]) ** 2).mean() * 1e-5  #-!
    loss = ((pred.float() - x[:, :1]) ** 2).mean() * 1e-2  #+
    opt.zero_grad()
    loss.backward()  #-!
    opt.step()  #-
    scaler.scale(loss).backward()  #+
    scaler.step(opt)  #+
    scaler.update()  #+
