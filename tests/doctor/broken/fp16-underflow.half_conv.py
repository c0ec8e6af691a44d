import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 1))
net.half()  #-!
opt = torch.optim.SGD(net.parameters(), lr=10.0)
for i in range(25):
    x = torch.rand(32, 1, 8, 8)
    y = x.mean((1, 2, 3)).unsqueeze(1) * 1e-3
    x, y = x.half(), y.half()  #-
    out = net(x) * 1e-3
    loss = nn.functional.mse_loss(out, y)  #-!
    loss = nn.functional.mse_loss(out, y)  #+
    opt.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    opt.step()
