import torch
from torch import nn

torch.manual_seed(0)
CONFIG = {"lr": 5.0, "epochs": 40}  #-!
CONFIG = {"lr": 5e-3, "epochs": 40}  #+
x = torch.randn(200, 10)
y = (x[:, 0] + x[:, 1] > 0).long()
model = nn.Sequential(nn.Linear(10, 32), nn.Tanh(), nn.Linear(32, 2))
optimizer = torch.optim.Adam(model.parameters(), lr=CONFIG["lr"])  #!
for epoch in range(CONFIG["epochs"]):
    perm = torch.randperm(200)[:50]
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x[perm]), y[perm])
    loss.backward()
    optimizer.step()
