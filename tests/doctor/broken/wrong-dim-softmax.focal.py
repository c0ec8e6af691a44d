import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for i in range(15):
    x = torch.randn(20, 6)
    y = x[:, :3].argmax(1)
    p = torch.nn.functional.softmax(net(x), dim=0)  #-!
    p = torch.nn.functional.softmax(net(x), dim=1)  #+
    pt = p[torch.arange(20), y]
    loss = (-((1 - pt) ** 2) * pt.log()).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
