import torch
from torch import nn

torch.manual_seed(0)
reg = nn.Sequential(nn.Linear(5, 50), nn.ReLU(), nn.Linear(50, 1))
optimizer = torch.optim.SGD(reg.parameters(), lr=5.0)  #-!
optimizer = torch.optim.SGD(reg.parameters(), lr=0.05)  #+
X = torch.randn(500, 5)
Y = X.sum(1, keepdim=True) + 3
for epoch in range(30):
    perm = torch.randperm(500)
    for i in range(0, 500, 100):
        b = perm[i:i + 100]
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(reg(X[b]), Y[b])
        loss.backward()
        optimizer.step()
