"""MAML by `higher`: losses after inner steps are differentiated through them, by SGD and Adam."""

import json

import higher
import torch

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
outer = torch.optim.Adam(net.parameters(), 1e-2)
printed = {}
for name, inner in {
    "sgd": torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9),
    "adam": torch.optim.Adam(net.parameters(), lr=0.01),
}.items():
    printed[name] = []
    for _ in range(3):
        outer.zero_grad()
        total = 0.0
        for phase in torch.rand(3) * 3:
            x = torch.rand(10, 1) * 4 - 2
            with higher.innerloop_ctx(net, inner, copy_initial_weights=False) as (copy, steps):
                for _ in range(3):
                    steps.step((copy(x) - torch.sin(x + phase)).square().mean())
                loss = (copy(x + 0.1) - torch.sin(x + 0.1 + phase)).square().mean()
                loss.backward()
                total += loss.item()
        outer.step()
        printed[name].append(total)
print(json.dumps(printed))
