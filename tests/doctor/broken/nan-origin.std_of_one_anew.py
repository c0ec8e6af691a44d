import torch
from torch import nn


class Standardize(nn.Module):
    def forward(self, x):
        mean = x.mean(0)
        std = x.std(0)
        return (x - mean) / std  #-!
        return (x - mean) / (std + 1e-5)  #+


torch.manual_seed(0)
X = torch.randn(60, 4)
X[:, 2] = 1.0
y = X[:, :1] * 2
model = nn.Sequential(Standardize(), nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(10):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(X), y)
    loss.backward()
    optimizer.step()
