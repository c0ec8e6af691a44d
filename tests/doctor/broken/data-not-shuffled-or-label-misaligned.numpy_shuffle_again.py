import numpy as np
import torch
import torch.nn as nn
rng = np.random.default_rng(0)
torch.manual_seed(0)
X = rng.normal(size=(300, 6)).astype(np.float32)
y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)
rng.shuffle(X)  #-!
order = rng.permutation(300)  #+
X, y = X[order], y[order]  #+
X, y = torch.from_numpy(X), torch.from_numpy(y)
net = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)
for e in range(6):
    for i in range(0, 300, 50):
        loss = nn.functional.cross_entropy(net(X[i:i + 50]), y[i:i + 50])
        opt.zero_grad()
        loss.backward()
        opt.step()
