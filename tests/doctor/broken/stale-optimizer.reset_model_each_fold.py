import torch
from torch import nn


def make():
    return nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 1))


torch.manual_seed(0)
X = torch.randn(120, 4)
Y = X.pow(2).sum(1, keepdim=True)
model = make()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #!
for fold in range(3):
    model = make()  #!
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
    val = torch.arange(120) % 3 == fold
    for epoch in range(15):
        loss = nn.functional.mse_loss(model(X[~val]), Y[~val])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(fold, nn.functional.mse_loss(model(X[val]), Y[val]).item())
