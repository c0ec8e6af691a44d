import torch
from torch import nn


def build():
    net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 4))
    for p in net.parameters():  #!
        p.requires_grad = False  #!
    net[2] = nn.Linear(32, 4)  #+
    return net


torch.manual_seed(0)
model = build()
optimizer = torch.optim.SGD([p for p in model.parameters()], lr=0.05)
criterion = nn.CrossEntropyLoss()
for step in range(10):
    x = torch.randn(20, 12)
    y = x[:, :4].argmax(1)
    optimizer.zero_grad()
    loss = criterion(model(x), y)
    loss.backward()
    optimizer.step()
