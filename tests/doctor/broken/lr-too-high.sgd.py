import torch
import torch.nn as nn

torch.manual_seed(0)
x = torch.randn(100, 8)
y = x @ torch.randn(8, 1)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=10.0)  #-!
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)  #+
for epoch in range(30):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
