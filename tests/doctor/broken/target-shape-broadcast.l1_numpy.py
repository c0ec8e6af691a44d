import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 6)).astype(np.float32)
Y = (X @ rng.normal(size=6)).astype(np.float32)
torch.manual_seed(0)
model = nn.Linear(6, 1)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(5):
    idx = rng.permutation(300)
    for b in np.array_split(idx, 10):
        xb, yb = torch.from_numpy(X[b]), torch.from_numpy(Y[b])
        pred = model(xb)  #-
        pred = model(xb)[:, 0]  #+
        loss = (pred - yb).abs().mean()  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
