import copy

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
for it in range(10):
    before = copy.deepcopy(model.state_dict())
    phase = torch.rand(1) * 3
    opt = torch.optim.SGD(model.parameters(), lr=0.02)
    for _ in range(5):
        x = torch.rand(16, 1) * 6 - 3
        loss = nn.functional.mse_loss(model(x), torch.sin(x + phase))
        opt.zero_grad()
        loss.backward()
        opt.step()
    after = model.state_dict()
    model.load_state_dict({k: before[k] + 0.3 * (after[k] - before[k]) for k in before})
