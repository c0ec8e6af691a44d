import torch
import torch.nn as nn
torch.manual_seed(0)
def make():
    return nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 1))
X = torch.randn(120, 6)
Y = X[:, :1] * 3 + 1
model = make()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #-!
for fold in range(3):
    model = make()  #!
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #+
    idx = torch.arange(120) % 3 != fold
    for epoch in range(20):
        pred = model(X[idx])
        loss = (pred - Y[idx]).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(fold, loss.item())
