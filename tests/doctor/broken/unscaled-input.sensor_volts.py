import torch
from torch import nn

torch.manual_seed(0)
pressure = 101325 + 800 * torch.randn(220, 1)
temp = 20 + 5 * torch.randn(220, 1)
X = torch.cat([pressure, temp], 1)
y = ((pressure - 101325) / 800 + (temp - 20) / 5 > 0).float()
X = (X - X.mean(0)) / X.std(0)  #+
net = nn.Sequential(nn.Linear(2, 24), nn.ReLU(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)  #+
for epoch in range(60):
    loss = nn.functional.binary_cross_entropy_with_logits(net(X), y)  #!
    opt.zero_grad()
    loss.backward()
    opt.step()
