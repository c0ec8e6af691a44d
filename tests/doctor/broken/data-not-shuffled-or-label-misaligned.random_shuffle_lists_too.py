import random

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
points = [[random.gauss(0, 1) for _ in range(3)] for _ in range(150)]
labels = [int(p[0] > 0) for p in points]
pairs = list(zip(points, labels))  #+
random.shuffle(pairs)  #+
points, labels = zip(*pairs)  #+
random.shuffle(points)  #-!
x = torch.tensor(points)
y = torch.tensor(labels)
net = nn.Linear(3, 2)
opt = torch.optim.Adam(net.parameters(), lr=0.05)
for _ in range(30):
    loss = nn.functional.cross_entropy(net(x), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
