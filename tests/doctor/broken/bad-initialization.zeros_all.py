import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 3))
for p in model.parameters():  #-
    nn.init.zeros_(p)  #-!
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(100, 10)
y = x[:, :3].argmax(1)
for _ in range(30):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
