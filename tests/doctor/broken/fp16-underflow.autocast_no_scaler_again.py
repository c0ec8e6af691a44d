import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
opt = torch.optim.SGD(net.parameters(), lr=1.0)
scaler = torch.amp.GradScaler("cpu")  #+
X = torch.randn(512, 20)
Y = 1e-3 * X[:, :1]
for epoch in range(30):
    opt.zero_grad()
    with torch.autocast("cpu", dtype=torch.float16):  #-!
    with torch.autocast("cpu", dtype=torch.float16):  #+
        pred = net(X) * 1e-4
        loss = ((pred.float() - Y * 1e-4) ** 2).mean()
    loss.backward()  #-!
    scaler.scale(loss).backward()  #+
    scaler.step(opt)  #+
    scaler.update()  #+
    opt.step()  #-
