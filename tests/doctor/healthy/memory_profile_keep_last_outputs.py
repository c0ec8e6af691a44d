import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
last = [None] * 3
for step in range(30):
    x = torch.randn(16, 5)
    out = net(x)
    loss = nn.functional.mse_loss(out, x.sum(1, keepdim=True))
    opt.zero_grad()
    loss.backward()
    opt.step()
    last[step % 3] = out  # the three newest, for a plot
