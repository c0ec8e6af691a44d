import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 40), nn.ReLU(), nn.Linear(40, 1))
opt = torch.optim.SGD(net.parameters(), lr=10.0)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)  #+
for it in range(30):
    x = torch.randn(64, 10)
    with torch.autocast("cpu", torch.float16):
        out = net(x)
        loss = ((out.float() - x[:, :1]) ** 2).mean() * 1e-6  #-!
        loss = ((out.float() - x[:, :1]) ** 2).mean() * 1e-3  #+
    opt.zero_grad()
    loss.backward()  #-!
    opt.step()  #-
    scaler.scale(loss).backward()  #+
    scaler.step(opt)  #+
    scaler.update()  #+
