import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(20, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 5))
optimizer = torch.optim.Adam(model.parameters(), lr=1.0)  #-!
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)  #+
x = torch.randn(300, 20)
y = x[:, :5].argmax(1)
for epoch in range(8):
    for b in torch.randperm(300).split(50):
        loss = nn.functional.cross_entropy(model(x[b]), y[b])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
