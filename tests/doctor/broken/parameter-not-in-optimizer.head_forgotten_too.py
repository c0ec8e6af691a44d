import torch
from torch import nn

torch.manual_seed(0)
backbone = nn.Sequential(nn.Linear(20, 32), nn.ReLU())
head = nn.Linear(32, 5)
optimizer = torch.optim.Adam(backbone.parameters(), lr=1e-3)  #-!
optimizer = torch.optim.Adam([*backbone.parameters(), *head.parameters()], lr=1e-3)  #+
x = torch.randn(256, 20)
y = x[:, :5].argmax(1)
for epoch in range(30):
    for i in range(0, 256, 64):
        loss = nn.functional.cross_entropy(head(backbone(x[i : i + 64])), y[i : i + 64])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
