import torch
from torch import nn


def validate(model, x, y):
    model.eval()  #+
    with torch.no_grad():  #!
        return (model(x).argmax(1) == y).float().mean().item()  #!


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Dropout(0.5), nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    model.train()
    for _ in range(5):
        x = torch.randn(16, 6)
        loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
    xv = torch.randn(50, 6)
    validate(model, xv, (xv[:, 0] > 0).long())
