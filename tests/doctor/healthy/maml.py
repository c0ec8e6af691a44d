import torch
import torch.nn.functional as F
from torch.func import functional_call

torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(1, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
meta = torch.optim.Adam(net.parameters(), lr=1e-2)
for step in range(15):
    meta.zero_grad()
    total = 0.0
    for _ in range(2):
        amplitude = torch.rand(1) * 2
        x = torch.rand(10, 1) * 4
        y = amplitude * torch.sin(x)
        params = dict(net.named_parameters())
        inner = F.mse_loss(functional_call(net, params, (x,)), y)
        grads = torch.autograd.grad(inner, list(params.values()), create_graph=True)
        fast = {n: p - 0.05 * g for (n, p), g in zip(params.items(), grads)}
        total = total + F.mse_loss(functional_call(net, fast, (x,)), y)
    total.backward()
    meta.step()
