import numpy as np
import torch
import torch.nn as nn


class PoolNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.fc = nn.Linear(4 * 3 * 3, 2)

    def forward(self, x):
        f = self.conv(x).relu()
        f = torch.from_numpy(f.detach().numpy().reshape(len(x), 4, 3, 2, 3, 2).max((3, 5)))  #-!
        f = nn.functional.max_pool2d(f, 2)  #+
        return self.fc(f.flatten(1))


torch.manual_seed(0)
net = PoolNet()
opt = torch.optim.Adam(net.parameters(), 1e-2)
x = torch.randn(64, 1, 8, 8)
y = (x.mean((1, 2, 3)) > 0).long()
for epoch in range(20):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
