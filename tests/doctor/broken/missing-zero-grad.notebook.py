#= cell
import torch
import torch.nn as nn
torch.manual_seed(0)
#= cell
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
X = torch.randn(64, 4); Y = X.prod(1, keepdim=True)
#= cell
losses = []
for epoch in range(20):
    pred = model(X)
    loss = ((pred - Y) ** 2).mean()
    optimizer.zero_grad()  #+
    loss.backward()  #!
    optimizer.step()  #!
    losses.append(loss.item())
