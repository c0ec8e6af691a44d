import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 20), nn.Tanh(), nn.Linear(20, 1))
outer = torch.optim.Adam(net.parameters(), lr=1e-3)
for it in range(12):
    total = 0.0
    for task in range(3):
        amp = torch.rand(1) * 4 + 1
        xs, xq = torch.rand(10, 1) * 6 - 3, torch.rand(10, 1) * 6 - 3
        fast = dict(net.named_parameters())
        for _ in range(2):
            loss = (functional_call(net, fast, xs) - amp * xs.sin()).pow(2).mean()
            grads = torch.autograd.grad(loss, fast.values(), create_graph=True)
            fast = {k: p - 0.01 * g for (k, p), g in zip(fast.items(), grads)}
        total = total + (functional_call(net, fast, xq) - amp * xq.sin()).pow(2).mean()
    outer.zero_grad()
    (total / 3).backward()
    outer.step()
