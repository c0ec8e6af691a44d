import numpy as np
import torch
import torch.nn as nn
np.random.seed(0)
torch.manual_seed(0)
counts = np.random.poisson(2.0, size=(200, 4)).astype(np.float32)
feats = np.log(counts)  #-!
feats = np.log1p(counts)  #+
feats = (feats - feats.mean(0)) / feats.std(0)
y = torch.tensor(counts.sum(1, keepdims=True))
X = torch.tensor(feats)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for e in range(30):
    loss = nn.functional.mse_loss(model(X), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
