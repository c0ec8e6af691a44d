import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
data = np.stack([rng.normal(5e4, 1e4, 150), rng.normal(0.5, 0.1, 150), rng.normal(2e3, 3e2, 150)], 1)
target = data[:, 1] * 10 + data[:, 2] / 1e3
data = (data - data.mean(0)) / data.std(0)  #+
X = torch.tensor(data, dtype=torch.float32)
y = torch.tensor(target, dtype=torch.float32).unsqueeze(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(40):
    for i in range(0, 150, 30):
        xb, yb = X[i : i + 30], y[i : i + 30]
        loss = nn.functional.mse_loss(model(xb), yb)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
