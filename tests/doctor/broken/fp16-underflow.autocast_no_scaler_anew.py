import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**14)  #+
for step in range(20):
    x = torch.randn(64, 32)
    y = x.mean(1, keepdim=True) * 1e-3
    with torch.autocast("cpu", dtype=torch.float16):  #!
        pred = net(x) * 1e-3
    loss = nn.functional.mse_loss(pred.float(), y)
    opt.zero_grad()
    loss.backward()  #-!
    opt.step()  #-
    scaler.scale(loss).backward()  #+
    scaler.step(opt)  #+
    scaler.update()  #+
