import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 1), nn.Tanh())  #-!
net = nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 1), nn.Sigmoid())  #+
opt = torch.optim.Adam(net.parameters(), 1e-3)
lossf = nn.BCELoss()
x = torch.randn(90, 7)
t = (x.sum(1, keepdim=True) > 0).float()
for e in range(12):
    p = net(x)
    l = lossf(p, t)  #-!
    l = lossf(p, t)  #+
    opt.zero_grad()
    l.backward()
    opt.step()
