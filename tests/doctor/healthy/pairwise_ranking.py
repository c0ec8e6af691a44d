import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), 5e-3)
for _ in range(60):
    x = torch.randn(20, 5)
    rel = x[:, 0]
    s = net(x).squeeze(1)
    diff = s[:, None] - s[None]
    want = (rel[:, None] > rel[None]).float()
    loss = nn.functional.softplus(-diff)[want.bool()].mean()
    opt.zero_grad(); loss.backward(); opt.step()
