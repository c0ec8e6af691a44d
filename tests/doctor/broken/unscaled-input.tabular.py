import numpy as np
import torch
import torch.nn as nn
np.random.seed(0)
torch.manual_seed(0)
income = np.random.uniform(20000, 150000, 300)
age = np.random.uniform(18, 80, 300)
X = np.stack([income, age], 1).astype("float32")
y = ((income > 80000) & (age < 50)).astype("int64")
X = (X - X.mean(0)) / X.std(0)  #+
X = torch.from_numpy(X)  #-!
X = torch.from_numpy(X)  #+
y = torch.from_numpy(y)
model = nn.Sequential(nn.Linear(2, 16), nn.Sigmoid(), nn.Linear(16, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for e in range(60):
    out = model(X)  #-!
    out = model(X)  #+
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
