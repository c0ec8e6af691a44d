import torch
from torch import nn

torch.manual_seed(0)
trunk, ha, hb = nn.Linear(5, 12), nn.Linear(12, 1), nn.Linear(12, 1)
params = [*trunk.parameters(), *ha.parameters(), *hb.parameters()]
opt = torch.optim.SGD(params, lr=0.05)
for _ in range(20):
    x = torch.randn(32, 5)
    z = torch.tanh(trunk(x))
    la = nn.functional.mse_loss(ha(z), x[:, :1])
    lb = nn.functional.mse_loss(hb(z), x[:, 1:2])
    ga = torch.autograd.grad(la, params, retain_graph=True, allow_unused=True)
    gb = torch.autograd.grad(lb, params, allow_unused=True)
    for p, a, b in zip(params, ga, gb):
        if a is None or b is None:
            p.grad = a if b is None else b
        else:
            dot = (a * b).sum()
            p.grad = a + b if dot >= 0 else a - dot / b.pow(2).sum() * b + b
    opt.step()
