import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu")
for i in range(20):
    x = torch.randn(32, 10)
    y = x.sum(1, keepdim=True)
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = nn.functional.mse_loss(net(x), y)
    scaler.scale(loss).backward()
    scaler.unscale_(opt)  #+
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  #-!
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)  #+
    scaler.step(opt)
    scaler.update()
