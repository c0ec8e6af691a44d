import torch
import torch.nn as nn
torch.manual_seed(0)
X = torch.randn(300, 5)
y = X @ torch.tensor([[2.0], [1.0], [0.0], [-1.0], [3.0]]) + 4
model = nn.Linear(5, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-7)  #-!
optimizer = torch.optim.SGD(model.parameters(), lr=1e-1)  #+
for epoch in range(100):
    loss = nn.functional.mse_loss(model(X), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
