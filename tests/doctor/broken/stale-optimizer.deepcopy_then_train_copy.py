import copy
import torch
from torch import nn

torch.manual_seed(0)
base = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
optimizer = torch.optim.Adam(base.parameters(), lr=1e-2)  #-!
model = copy.deepcopy(base)  #!
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
x = torch.randn(100, 6)
y = (x[:, 0] > x[:, 1]).long()
for epoch in range(25):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
