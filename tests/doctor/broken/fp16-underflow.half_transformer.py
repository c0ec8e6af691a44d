import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8)).half()  #-
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 8))  #+
opt = torch.optim.SGD(model.parameters(), lr=1e-2)
for _ in range(20):
    x = torch.randn(32, 16)
    x = x.half()  #-
    y = torch.zeros_like(x[:, :8])
    loss = ((model(x) * 1e-3 - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
