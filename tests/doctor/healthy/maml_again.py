import torch, torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 20), nn.ReLU(), nn.Linear(20, 1))
meta = torch.optim.Adam(net.parameters(), lr=1e-3)
def fwd(x, ps):
    w1, b1, w2, b2 = ps
    return F.linear(F.relu(F.linear(x, w1, b1)), w2, b2)
for it in range(20):
    meta.zero_grad()
    total = 0.0
    for task in range(4):
        amp, ph = torch.rand(1) * 4 + 1, torch.rand(1) * 3
        xs, xq = torch.rand(10, 1) * 10 - 5, torch.rand(10, 1) * 10 - 5
        ps = list(net.parameters())
        for _ in range(2):
            l = F.mse_loss(fwd(xs, ps), amp * torch.sin(xs + ph))
            gs = torch.autograd.grad(l, ps, create_graph=True)
            ps = [p - 0.01 * g for p, g in zip(ps, gs)]
        total = total + F.mse_loss(fwd(xq, ps), amp * torch.sin(xq + ph))
    (total / 4).backward()
    meta.step()
