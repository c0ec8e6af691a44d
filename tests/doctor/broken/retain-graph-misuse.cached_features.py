import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
        self.head = nn.Linear(16, 2)


torch.manual_seed(0)
m = Model()
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
optimizer = torch.optim.SGD(m.parameters(), lr=0.1)
features = m.backbone(x)  #-!
for epoch in range(10):
    features = m.backbone(x)  #+
    logits = m.head(features)
    loss = nn.functional.cross_entropy(logits, y)
    optimizer.zero_grad()
    loss.backward()  #!
    optimizer.step()
