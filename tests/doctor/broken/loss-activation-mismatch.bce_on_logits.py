import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
criterion = nn.BCELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(64, 6)
y = (x.sum(1, keepdim=True) > 0).float()
for epoch in range(10):
    optimizer.zero_grad()
    prob = model(x)  #-!
    prob = torch.sigmoid(model(x))  #+
    loss = criterion(prob, y)  #!
    loss.backward()
    optimizer.step()
