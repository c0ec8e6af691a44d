import io

import torch
from torch import nn


def build():
    return nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 2))


def resume(buffer):
    buffer.seek(0)
    model = build()
    model.load_state_dict(torch.load(buffer))
    return model


torch.manual_seed(0)
model = build()
buffer = io.BytesIO()
torch.save(model.state_dict(), buffer)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  #-!
model = resume(buffer)  #!
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)  #+
for _ in range(12):
    x = torch.randn(16, 5)
    loss = nn.functional.cross_entropy(model(x), (x.sum(1) > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
