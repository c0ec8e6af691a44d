import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 1))
opt = torch.optim.SGD(model.parameters(), lr=0.01)
steps = 4
opt.zero_grad()
for i in range(80):
    x = torch.randn(8, 6)
    loss = nn.functional.mse_loss(model(x), x[:, :1])  #!
    loss = loss / steps  #+
    loss.backward()  #!
    if (i + 1) % steps == 0:
        opt.step()
        opt.zero_grad()
