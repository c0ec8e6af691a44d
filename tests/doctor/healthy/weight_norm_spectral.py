import torch
from torch import nn
from torch.nn.utils.parametrizations import spectral_norm, weight_norm

torch.manual_seed(0)
net = nn.Sequential(weight_norm(nn.Linear(6, 24)), nn.ReLU(), spectral_norm(nn.Linear(24, 24)), nn.ReLU(), nn.Linear(24, 2))
opt = torch.optim.Adam(net.parameters(), 5e-3)
for _ in range(30):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(net(x), (x[:, 0] * x[:, 1] > 0).long())
    opt.zero_grad()
    loss.backward()
    opt.step()
