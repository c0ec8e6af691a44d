import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
X = torch.randn(128, 6)
Y = X.sum(1, keepdim=True)
criterion = nn.MSELoss()
for epoch in range(40):
    optimizer.zero_grad()
    output = model(X)
    loss = criterion(output, Y)
    loss = torch.tensor(loss.item(), requires_grad=True)  #-!
    loss.backward()
    optimizer.step()
