import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(100, 4)
y = (x[:, 0] > 0).long()
for i in range(20):
    loss = nn.functional.cross_entropy(model(x), y)
    optimizer.zero_grad()  #+
    loss.backward()
    optimizer.zero_grad()  #-!
    optimizer.step()  #-!
    optimizer.step()  #+
