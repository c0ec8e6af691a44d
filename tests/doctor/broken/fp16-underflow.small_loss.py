import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
model = model.half()  #-
opt = torch.optim.SGD(model.parameters(), lr=0.1)  #-
opt = torch.optim.SGD(model.parameters(), lr=1e3)  #+
scaler = torch.amp.GradScaler("cpu")  #+
for _ in range(15):
    x = torch.randn(64, 8)
    out = model(x.half())  #-
    with torch.autocast("cpu", dtype=torch.float16):  #+
        out = model(x)  #+
    loss = (out.float() - x[:, :1]).pow(2).mean() * 1e-5
    opt.zero_grad()
    loss.backward()  #-!
    scaler.scale(loss).backward()  #+
    scaler.step(opt)  #+
    scaler.update()  #+
    opt.step()  #-
