import copy
import io
import torch
import torch.nn as nn


def build():
    return nn.Sequential(nn.Linear(7, 14), nn.ReLU(), nn.Linear(14, 2))


torch.manual_seed(0)
model = build()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)  #!
buf = io.BytesIO()
torch.save(model.state_dict(), buf)
buf.seek(0)
model = build()  #-!
model.load_state_dict(torch.load(buf))
x = torch.randn(128, 7)
y = (x.sum(1) > 0).long()
for epoch in range(25):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
