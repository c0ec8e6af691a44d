import torch
import torch.nn as nn
torch.manual_seed(0)
layers = [nn.Linear(10, 32), nn.Sigmoid()]  #-
for _ in range(9):  #-
    layers += [nn.Linear(32, 32), nn.Sigmoid()]  #-!
layers = [nn.Linear(10, 32), nn.ReLU()]  #+
for _ in range(2):  #+
    layers += [nn.Linear(32, 32), nn.ReLU()]  #+
model = nn.Sequential(*layers, nn.Linear(32, 2))
opt = torch.optim.SGD(model.parameters(), lr=0.1)
X = torch.randn(256, 10)
y = (X[:, 0] > 0).long()
for e in range(80):
    out = model(X)
    loss = nn.functional.cross_entropy(out, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
