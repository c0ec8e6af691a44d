import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
year = rng.integers(1950, 2020, 400)
area = rng.normal(120, 40, 400)
price = (0.5 * (year - 1985) + 0.1 * (area - 120)) / 20
X = torch.tensor(np.stack([year, area * 1000], 1), dtype=torch.float32)  #-!
X = torch.tensor(np.stack([(year - 1985) / 20, (area - 120) / 40], 1), dtype=torch.float32)  #+
y = torch.tensor(price, dtype=torch.float32).unsqueeze(1)
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(60):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(X), y)  #!
    loss.backward()
    opt.step()
