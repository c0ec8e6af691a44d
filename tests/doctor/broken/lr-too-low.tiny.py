import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-9)  #-!
optimizer = torch.optim.SGD(model.parameters(), lr=5e-2)  #+
x = torch.randn(64, 6)
y = x[:, :1] * 2
for _ in range(30):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
