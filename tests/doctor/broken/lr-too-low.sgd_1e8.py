import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=1e-8)  #-!
opt = torch.optim.SGD(model.parameters(), lr=1e-2)  #+
x = torch.randn(200, 4)
y = 2 * x[:, :1] - x[:, 1:2] + 3
for epoch in range(50):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
