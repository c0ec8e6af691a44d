import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
data = rng.normal(size=(240, 4)).astype("float32")
labels = (data[:, 1] > 0).astype("int64")
order = rng.permutation(240)
data = data[order]  #!
labels = labels[rng.permutation(240)]  #-!
labels = labels[order]  #+
torch.manual_seed(0)
net = nn.Linear(4, 2)
opt = torch.optim.SGD(net.parameters(), lr=0.2)
x, y = torch.from_numpy(data), torch.from_numpy(labels)
for epoch in range(6):
    for xb, yb in zip(x.split(24), y.split(24)):
        loss = nn.functional.cross_entropy(net(xb), yb)  #-!
        loss = nn.functional.cross_entropy(net(xb), yb)  #+
        opt.zero_grad()
        loss.backward()
        opt.step()
