"""Schedule-free AdamW and SGD train, with their averages for evaluation, and are saved."""

import json

import schedulefree
import torch
from torch import nn

printed = {}
for kind in (schedulefree.AdamWScheduleFree, schedulefree.SGDScheduleFree,
             schedulefree.RAdamScheduleFree):  # fmt: skip
    torch.manual_seed(0)
    net = nn.Linear(4, 1)
    data, wanted = torch.randn(16, 4), torch.randn(16, 1)
    optimizer = kind(net.parameters(), lr=0.05)
    optimizer.train()
    losses = []
    for _ in range(5):
        loss = nn.functional.mse_loss(net(data), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    optimizer.eval()
    again = kind(net.parameters(), lr=0.05)
    again.load_state_dict(optimizer.state_dict())
    printed[kind.__name__] = [losses, net.weight.flatten().tolist()]
print(json.dumps(printed))
