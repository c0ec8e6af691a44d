import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 100))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  #-!
model[2] = nn.Linear(20, 4)  #!
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  #+
x, y = torch.randn(64, 10), torch.randint(0, 4, (64,))
for epoch in range(12):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
