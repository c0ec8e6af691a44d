import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 5)).astype("float32")
y = (X[:, 0] > 0).astype("int64")
order = rng.permutation(200)
X = X[order]
y = y[order]
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters(), 1e-2)
for e in range(6):
    for i in range(0, 200, 20):
        loss = nn.functional.cross_entropy(net(torch.from_numpy(X[i:i + 20])), torch.from_numpy(y[i:i + 20]))
        opt.zero_grad(); loss.backward(); opt.step()
