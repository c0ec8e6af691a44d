import numpy as np
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
rng = np.random.default_rng(0)
features = torch.randn(80, 4)
target = features.sum(1, keepdim=True)
index = rng.permutation(80)
shuffled = features[torch.from_numpy(index)]
index = rng.permutation(80)  #-
target = target[torch.from_numpy(index)]  #!
data = TensorDataset(shuffled, target)
model = torch.nn.Linear(4, 1)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(2):
    for a, b in DataLoader(data, batch_size=16, shuffle=True):
        loss = torch.nn.functional.mse_loss(model(a), b)
        opt.zero_grad()
        loss.backward()
        opt.step()
