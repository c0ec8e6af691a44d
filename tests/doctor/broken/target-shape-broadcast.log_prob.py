import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for i in range(30):
    x = torch.randn(40, 3)
    t = x.sum(1)
    mu = net(x)  #-
    mu = net(x).squeeze(-1)  #+
    err = t - mu  #!
    loss = torch.mean(err * err)  #!
    opt.zero_grad(); loss.backward(); opt.step()
