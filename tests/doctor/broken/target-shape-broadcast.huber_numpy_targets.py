import numpy as np
import torch
import torch.nn as nn
np.random.seed(0); torch.manual_seed(0)
x = np.linspace(-1, 1, 120).astype(np.float32).reshape(-1, 1)
y = (x ** 2 + 0.05 * np.random.randn(120, 1)).astype(np.float32)
X, Y = torch.from_numpy(x), torch.from_numpy(y.ravel())  #-
X, Y = torch.from_numpy(x), torch.from_numpy(y)  #+
net = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
lf = nn.HuberLoss()
for i in range(60):
    opt.zero_grad()
    loss = lf(net(X), Y)  #!
    loss.backward()
    opt.step()
