import numpy as np
import torch
import torch.nn as nn
rng = np.random.default_rng(0)
torch.manual_seed(0)
pressure = rng.normal(101325, 800, size=(400, 1))
temp = rng.normal(293, 5, size=(400, 1))
hum = rng.uniform(0, 1, size=(400, 1))
X = np.hstack([pressure, temp, hum]).astype(np.float32)
y = (hum[:, 0] > 0.5).astype(np.int64)
X = (X - X.mean(0)) / X.std(0)  #+
X, y = torch.from_numpy(X), torch.from_numpy(y)
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.SGD(net.parameters(), lr=1e-2)
for e in range(5):
    for i in range(0, 400, 40):
        out = net(X[i:i + 40])  #-!
        out = net(X[i:i + 40])  #+
        loss = nn.functional.cross_entropy(out, y[i:i + 40])
        opt.zero_grad(); loss.backward(); opt.step()
