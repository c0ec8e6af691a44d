import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 32), nn.Softplus(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
for _ in range(15):
    x = (torch.randn(32, 2) * 0.7 + 1).requires_grad_(True)
    s = net(x)
    trace = 0.0
    for i in range(2):
        trace = trace + torch.autograd.grad(s[:, i].sum(), x, create_graph=True)[0][:, i]
    loss = (trace + 0.5 * s.pow(2).sum(1)).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
