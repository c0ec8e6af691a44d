import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu")  #+
for _ in range(15):
    x = torch.randn(512, 16)
    y = 1e-4 * x[:, :1]
    with torch.autocast("cpu", dtype=torch.float16):  #!
        pred = 1e-3 * net(x)  #!
        loss = nn.functional.mse_loss(pred, y)  #!
    opt.zero_grad()
    loss.backward()  #-!
    opt.step()  #-
    scaler.scale(loss).backward()  #+
    scaler.step(opt)  #+
    scaler.update()  #+
