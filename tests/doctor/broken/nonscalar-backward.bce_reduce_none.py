import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 1))
loss_fn = nn.BCEWithLogitsLoss(reduction="none")  #-!
loss_fn = nn.BCEWithLogitsLoss()  #+
opt = torch.optim.Adam(net.parameters())
x = torch.randn(16, 4)
y = (x[:, :1] > 0).float()
out = net(x)
l = loss_fn(out, y)  #-!
l = loss_fn(out, y)  #+
l.backward()  #-!
l.backward()  #+
opt.step()
