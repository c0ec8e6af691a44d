import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.SGD(model.parameters(), lr=1e-8)  #-!
opt = torch.optim.SGD(model.parameters(), lr=1e-2)  #+
x = torch.randn(64, 8)
y = x.sum(1, keepdim=True) * 2
for i in range(50):
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
