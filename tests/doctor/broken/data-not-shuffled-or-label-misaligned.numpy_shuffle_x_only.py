import numpy as np
import torch
from torch import nn

rng = np.random.default_rng(0)
X = rng.normal(size=(180, 7)).astype("float32")
Y = X[:, :4].argmax(1)
order = rng.permutation(180)
X = X[order]  #!
Y = Y[order]  #+
X, Y = torch.from_numpy(X), torch.from_numpy(Y)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(7, 24), nn.ReLU(), nn.Linear(24, 4))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(6):
    for k in range(0, 180, 30):
        loss = nn.functional.cross_entropy(model(X[k : k + 30]), Y[k : k + 30])
        opt.zero_grad()
        loss.backward()
        opt.step()
