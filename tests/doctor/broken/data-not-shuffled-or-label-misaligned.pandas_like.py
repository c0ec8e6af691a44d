import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
X = rng.normal(size=(240, 6)).astype("float32")
y = X[:, :3].argmax(1)
X = X[rng.permutation(240)]  #-!
y = y[rng.permutation(240)]  #-!
order = rng.permutation(240)  #+
X, y = X[order], y[order]  #+
X, y = torch.from_numpy(X), torch.from_numpy(y)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for epoch in range(8):
    for i in range(0, 240, 30):
        loss = nn.functional.cross_entropy(net(X[i:i + 30]), y[i:i + 30])
        opt.zero_grad()
        loss.backward()
        opt.step()
