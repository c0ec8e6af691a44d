import torch
import torch.nn as nn

torch.manual_seed(0)
layers = []
for i in range(10):
    layers += [nn.Linear(20, 20), nn.Sigmoid()]  #-!
    layers += [nn.Linear(20, 20), nn.LayerNorm(20), nn.GELU()]  #+
mlp = nn.Sequential(*layers, nn.Linear(20, 1))
opt = torch.optim.Adam(mlp.parameters(), lr=1e-4)  #-
opt = torch.optim.Adam(mlp.parameters(), lr=1e-3)  #+
for step in range(60):
    x = torch.randn(64, 20)
    y = (x[:, :1] * x[:, 1:2] > 0).float()
    loss = nn.functional.binary_cross_entropy_with_logits(mlp(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
