import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(24, 48), nn.ReLU(), nn.Linear(48, 4))
opt = torch.optim.SGD(net.parameters(), lr=0.5)
scaler = torch.amp.GradScaler("cpu", enabled=False)  #-!
scaler = torch.amp.GradScaler("cpu")  #+
for epoch in range(12):
    x = torch.randn(128, 24)
    with torch.autocast("cpu", dtype=torch.float16):  #!
        loss = nn.functional.mse_loss(net(x), x[:, :4]) * 1e-6  #!
    opt.zero_grad()
    scaler.scale(loss).backward()  #!
    scaler.step(opt)
    scaler.update()
