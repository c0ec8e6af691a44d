import torch
from torch import nn
from torch.func import functional_call

torch.manual_seed(0)
body = nn.Sequential(nn.Linear(1, 32), nn.Tanh())
head = nn.Linear(32, 1)
meta = torch.optim.Adam([*body.parameters(), *head.parameters()], lr=1e-3)
for it in range(15):
    meta.zero_grad()
    total = 0.0
    for task in range(3):
        a, ph = torch.rand(2)
        f = lambda x: (a + 0.5) * torch.sin(x + ph)
        xs, xq = torch.randn(8, 1), torch.randn(8, 1)
        fast = dict(head.named_parameters())
        for _ in range(2):
            inner = nn.functional.mse_loss(functional_call(head, fast, (body(xs),)), f(xs))
            grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
            fast = {n: p - 0.1 * g for (n, p), g in zip(fast.items(), grads)}
        total = total + nn.functional.mse_loss(functional_call(head, fast, (body(xq),)), f(xq))
    total.backward()
    meta.step()
