import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=5.0)  #-!
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)  #+
x = torch.randn(200, 10)
y = x[:, :1] + x[:, 1:2] ** 2
for i in range(50):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(i, loss.item())
