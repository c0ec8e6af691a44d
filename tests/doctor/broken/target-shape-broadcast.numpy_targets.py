import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 6)).astype("float32")
y = X @ rng.normal(size=6).astype("float32")
torch.manual_seed(0)
ds = TensorDataset(torch.from_numpy(X), torch.from_numpy(y))  #-
ds = TensorDataset(torch.from_numpy(X), torch.from_numpy(y)[:, None])  #+


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1))

    def forward(self, x):
        return self.layers(x)


model = Regressor()
criterion = nn.SmoothL1Loss()
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    for xb, yb in DataLoader(ds, batch_size=24, shuffle=True):
        out = model(xb)
        loss = criterion(out, yb)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
