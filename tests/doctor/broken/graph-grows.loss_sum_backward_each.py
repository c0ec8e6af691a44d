import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
total_loss = 0
for step in range(25):
    x = torch.randn(20, 3)
    y = x.abs().sum(1, keepdim=True)
    loss = nn.functional.mse_loss(model(x), y)
    total_loss = total_loss + loss  #-!
    total_loss = total_loss + loss.item()  #+
    optimizer.zero_grad()
    total_loss.backward(retain_graph=True)  #-
    loss.backward()  #+
    optimizer.step()
