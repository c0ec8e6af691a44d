import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(240, 4)
label = (x[:, 0] > 0.3).long() + (x[:, 0] > -0.3).long()
order = label.argsort()  #-
order = torch.randperm(240)  #+
x, label = x[order], label[order]  #!


def get_batches(x, y, size):
    for i in range(0, len(x), size):
        yield x[i : i + size], y[i : i + size]  #!


model = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 3))
opt = torch.optim.SGD(model.parameters(), lr=0.2)
for epoch in range(5):
    for xb, yb in get_batches(x, label, 24):  #!
        loss = nn.functional.cross_entropy(model(xb), yb)  #!
        opt.zero_grad()
        loss.backward()
        opt.step()
