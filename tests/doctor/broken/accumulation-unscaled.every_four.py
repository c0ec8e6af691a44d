import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
accumulate = 4
for step in range(24):
    x = torch.randn(8, 6)
    y = (x[:, 0] > 0).long()
    loss = nn.functional.cross_entropy(model(x), y)
    loss = loss / accumulate  #+
    loss.backward()  #!
    if (step + 1) % accumulate == 0:
        opt.step()
        opt.zero_grad()
