import torch
from torch import nn

torch.manual_seed(0)
conv, bn, fc = nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.Linear(6, 2)
net = nn.ModuleList([conv, bn, fc])
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(30):
    net.train()
    bn.eval()  #-!
    y = torch.randint(0, 2, (20,))
    x = torch.randn(20, 1, 7, 7) + y.view(-1, 1, 1, 1)
    loss = nn.functional.cross_entropy(fc(torch.relu(bn(conv(x))).mean((2, 3))), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
