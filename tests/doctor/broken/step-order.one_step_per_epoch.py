import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for epoch in range(4):
    for x in torch.randn(10, 16, 6):
        opt.zero_grad()  #!
        loss = nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        loss.backward()
        opt.step()  #+
    opt.step()  #-!
