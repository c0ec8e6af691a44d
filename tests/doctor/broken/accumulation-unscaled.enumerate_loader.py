import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
X = torch.randn(400, 12)
y = X @ torch.randn(12, 1)
dl = DataLoader(TensorDataset(X, y), batch_size=10, shuffle=True)
net = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
accumulation_steps = 8
optimizer.zero_grad()
for epoch in range(3):
    for i, (xb, yb) in enumerate(dl):
        pred = net(xb)
        loss = nn.functional.mse_loss(pred, yb)
        loss = loss / accumulation_steps  #+
        loss.backward()  #!
        if (i + 1) % accumulation_steps == 0:
            optimizer.step()
            optimizer.zero_grad()
