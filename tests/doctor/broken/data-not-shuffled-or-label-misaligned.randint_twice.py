import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
data = torch.randn(250, 5)
labels = (data.sum(1) > 0).long()
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(40):
    i = np.random.randint(0, 250, 32)
    j = np.random.randint(0, 250, 32)  #-!
    j = i  #+
    x, y = data[i], labels[j]  #!
    loss = nn.functional.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
