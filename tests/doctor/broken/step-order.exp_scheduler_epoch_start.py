import torch
import torch.nn as nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
sch = torch.optim.lr_scheduler.ExponentialLR(opt, 0.95)
data = [(x, x.sum(1, keepdim=True)) for x in torch.randn(8, 16, 4)]
for epoch in range(5):
    sch.step()  #-!
    for x, y in data:
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
    sch.step()  #+
