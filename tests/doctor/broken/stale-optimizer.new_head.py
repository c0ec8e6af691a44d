import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 10), nn.ReLU(), nn.Linear(10, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #-
model[2] = nn.Linear(10, 2)  #!
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
for _ in range(12):
    x = torch.randn(24, 6)
    y = (x[:, 0] > x[:, 1]).long()
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
