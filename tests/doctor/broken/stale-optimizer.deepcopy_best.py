import copy
import torch
from torch import nn

torch.manual_seed(0)
x, y = torch.randn(60, 6), torch.randn(60, 1)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.05)  #!
for warm in range(3):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
best = copy.deepcopy(model)
model = copy.deepcopy(best)  #-!
model.load_state_dict(best.state_dict())  #+
for epoch in range(15):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
