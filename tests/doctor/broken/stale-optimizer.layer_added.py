import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU())
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  #-!
model.append(nn.Linear(12, 2))  #!
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  #+
for _ in range(15):
    x = torch.randn(20, 6)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
