import torch
import torch.nn as nn

torch.manual_seed(0)
X = torch.randn(200, 10)
y = (X[:, 0] > 0).float().unsqueeze(1)
model = nn.Sequential(nn.Linear(10, 10), nn.ReLU(), nn.Linear(10, 1))
criterion = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for epoch in range(20):
    optimizer.zero_grad()
    out = model(X)
    loss = criterion(out, y)
    loss = torch.tensor(loss.item(), requires_grad=True)  #-!
    loss.backward()
    optimizer.step()
    print("epoch", epoch, "loss", loss.item())
