import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
a, b = rng.normal(size=100), rng.integers(0, 4, size=100)
ratio = np.divide(a, b, where=b > 0, out=np.full(100, np.nan))  #-!
ratio = np.divide(a, b, where=b > 0, out=np.zeros(100))  #+
X = torch.tensor(np.stack([a, ratio], 1), dtype=torch.float32)  #!
y = X[:, :1] * 2
torch.manual_seed(0)
net = nn.Linear(2, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(15):
    loss = nn.functional.mse_loss(net(X), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
