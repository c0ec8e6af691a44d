import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
weights = [p for p in net.parameters() if p.ndim > 1]
biases = [p for p in net.parameters() if p.ndim == 1]
opt_w = torch.optim.Adam(weights, lr=1e-2)
opt_b = torch.optim.SGD(biases, lr=1e-2)
for _ in range(25):
    x = torch.randn(32, 6)
    loss = (net(x) - x.mean(1, keepdim=True)).pow(2).mean()
    opt_w.zero_grad()
    opt_b.zero_grad()
    loss.backward()
    opt_w.step()
    opt_b.step()
