"""Twenty optimizers of the collection each fit a network for four steps."""

import json

import pytorch_optimizer
import torch
from torch import nn

NAMES = """AdaBelief AdaBound AdamP AdaNorm AdaShift Adan Aida DiffGrad Lamb Lion MADGRAD NovoGrad
PAdam Prodigy QHAdam RAdam Ranger SWATS StableAdamW Tiger""".split()
printed = {}
for name in NAMES:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1))
    data, wanted = torch.randn(16, 4), torch.randn(16, 1)
    optimizer = getattr(pytorch_optimizer, name)(net.parameters(), lr=1e-2)
    losses = []
    for _ in range(4):
        loss = nn.functional.mse_loss(net(data), wanted)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    printed[name] = losses
print(json.dumps(printed))
