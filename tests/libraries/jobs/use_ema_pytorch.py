"""A moving average of a model follows its training, and is saved and loaded."""

import json

import torch
from ema_pytorch import EMA
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 1))
average = EMA(net, beta=0.9, update_after_step=1, update_every=1)
data, wanted = torch.randn(16, 4), torch.randn(16, 1)
optimizer = torch.optim.Adam(net.parameters(), 1e-2)
losses = []
for _ in range(6):
    loss = nn.functional.mse_loss(net(data), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average.update()
    losses.append([loss.item(), nn.functional.mse_loss(average(data), wanted).item()])
again = EMA(net, beta=0.9)
again.load_state_dict(average.state_dict())
same = torch.equal(again.ema_model[0].weight, average.ema_model[0].weight)
print(json.dumps({"losses": losses, "same": same, "decay": float(average.get_current_decay())}))
