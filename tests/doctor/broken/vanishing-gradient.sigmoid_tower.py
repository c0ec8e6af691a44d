import torch
import torch.nn as nn

torch.manual_seed(0)
layers = []
for _ in range(10):
    layers += [nn.Linear(16, 16), nn.Sigmoid()]  #-!
    layers += [nn.Linear(16, 16), nn.LayerNorm(16), nn.ReLU()]  #+
model = nn.Sequential(nn.Linear(4, 16), nn.Sigmoid(), *layers, nn.Linear(16, 2))  #-!
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), *layers, nn.Linear(16, 2))  #+
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(128, 4)
y = (x[:, 0] * x[:, 1] > 0).long()
for step in range(40):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
