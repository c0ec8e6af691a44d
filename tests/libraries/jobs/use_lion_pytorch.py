"""The Lion optimizer with weight decay fits a network; its state is saved and loaded."""

import json

import torch
from lion_pytorch import Lion
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 1))
x = torch.randn(32, 6)
optimizer = Lion(model.parameters(), lr=1e-3, weight_decay=1e-2)
losses = []
for step in range(8):
    loss = (model(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
    if step == 3:
        optimizer.load_state_dict(optimizer.state_dict())
print(json.dumps({"losses": losses, "weights": model[0].weight.flatten().tolist()}))
