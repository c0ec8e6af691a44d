import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(10, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=2.0)  #-!
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  #+
X = torch.randn(100, 10)
y = X @ torch.randn(10, 1)
for epoch in range(30):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(X), y)
    loss.backward()
    optimizer.step()
