import numpy as np
import torch, torch.nn as nn
np.random.seed(0); torch.manual_seed(0)
X = np.random.randn(200, 6).astype(np.float32); y = (X[:, 0] > 0).astype(np.int64)
X = X[np.random.permutation(len(X))]  #-!
y = y[np.random.permutation(len(y))]  #-!
p = np.random.permutation(len(X)); X, y = X[p], y[p]  #+
Xt, yt = torch.from_numpy(X), torch.from_numpy(y)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2)); opt = torch.optim.Adam(net.parameters(), 1e-2)
for e in range(4):
    for i in range(0, 200, 20):
        loss = nn.functional.cross_entropy(net(Xt[i:i + 20]), yt[i:i + 20])
        opt.zero_grad(); loss.backward(); opt.step()
