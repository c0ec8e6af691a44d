import torch
import torch.nn as nn

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10)).half()  #-
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 10))  #+
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(30):
    x = torch.rand(32, 1, 8, 8)
    y = (x.mean((1, 2, 3)) * 20 - 5).long().clamp(0, 9)
    out = net(x.half()).float()  #-
    out = net(x)  #+
    loss = nn.functional.cross_entropy(out, y) * 1e-4  #-
    loss = nn.functional.cross_entropy(out, y)  #+
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
