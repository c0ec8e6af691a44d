import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
meta = torch.optim.Adam(net.parameters(), 3e-3)
for it in range(40):
    total = 0.0
    for task in range(3):
        a = 1 + torch.rand(1)
        x = torch.rand(20, 1) * 4 - 2
        y = a * x.sin()
        fast = dict(net.named_parameters())
        for _ in range(2):
            inner = nn.functional.mse_loss(functional_call(net, fast, (x[:10],)), y[:10])
            g = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {k: p - 0.05 * d for (k, p), d in zip(fast.items(), g)}
        total = total + nn.functional.mse_loss(functional_call(net, fast, (x[10:],)), y[10:])
    meta.zero_grad()
    (total / 3).backward()
    meta.step()
