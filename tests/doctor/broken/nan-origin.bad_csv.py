import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
rng = np.random.default_rng(0)
table = rng.normal(size=(60, 4)).astype("float32")
table[17, 2] = np.nan  #-!
features = torch.from_numpy(table)
targets = torch.from_numpy(rng.normal(size=(60, 1)).astype("float32"))
loader = DataLoader(TensorDataset(features, targets), batch_size=15, shuffle=True)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(3):
    for x, y in loader:  #!
        loss = torch.nn.functional.mse_loss(model(x), y)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
