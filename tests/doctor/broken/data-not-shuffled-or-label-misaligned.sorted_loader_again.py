import torch
import torch.nn as nn
from torch.utils.data import TensorDataset, DataLoader
torch.manual_seed(0)
per = 100
X = torch.cat([torch.randn(per, 4) + c for c in range(4)])
y = torch.cat([torch.full((per,), c) for c in range(4)])
loader = DataLoader(TensorDataset(X, y), batch_size=20, shuffle=False)  #-!
loader = DataLoader(TensorDataset(X, y), batch_size=20, shuffle=True)  #+
model = nn.Sequential(nn.Linear(4, 32), nn.ReLU(), nn.Linear(32, 4))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for e in range(4):
    for xb, yb in loader:
        loss = nn.functional.cross_entropy(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
