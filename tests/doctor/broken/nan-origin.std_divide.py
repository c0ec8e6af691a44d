import torch
import torch.nn as nn
import numpy as np
np.random.seed(0)
torch.manual_seed(0)
raw = np.random.randn(200, 5).astype(np.float32)
raw[:, 3] = 7.0
X = torch.tensor(raw)
def standardize(X):
    return (X - X.mean(0)) / X.std(0)  #-!
    return (X - X.mean(0)) / (X.std(0) + 1e-6)  #+
X = standardize(X)
y = X[:, :1]
model = nn.Linear(5, 1)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for e in range(20):
    loss = nn.functional.mse_loss(model(X), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
