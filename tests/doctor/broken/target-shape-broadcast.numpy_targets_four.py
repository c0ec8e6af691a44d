import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3)).astype(np.float32)
y = (X @ np.array([1.0, -1.0, 0.5], dtype=np.float32))
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
xt, yt = torch.from_numpy(X), torch.from_numpy(y)
yt = yt.reshape(-1, 1)  #+
for epoch in range(30):
    out = net(xt)
    loss = torch.mean(torch.square(out - yt))  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
