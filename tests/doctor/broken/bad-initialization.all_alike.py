import torch
import torch.nn as nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2))
for layer in model:
    if isinstance(layer, nn.Linear):
        nn.init.constant_(layer.weight, 0.5)  #-!
        nn.init.xavier_uniform_(layer.weight)  #+
        nn.init.zeros_(layer.bias)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x = torch.randn(100, 6)
y = (x[:, 0] * x[:, 1] > 0).long()
for _ in range(25):
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
