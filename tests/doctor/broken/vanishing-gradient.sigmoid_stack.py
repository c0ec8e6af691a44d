import torch
from torch import nn

torch.manual_seed(0)
layers = []
for i in range(8):
    layers += [nn.Linear(10, 10), nn.Sigmoid()]  #-!
    layers += [nn.Linear(10, 10), nn.LayerNorm(10), nn.ReLU()]  #+
model = nn.Sequential(*layers, nn.Linear(10, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(128, 10)
y = (x[:, 0] > 0).long()
for epoch in range(60):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
