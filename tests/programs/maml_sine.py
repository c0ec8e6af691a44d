"""Model-agnostic meta-learning: gradients of gradient steps, and the same with torch.func."""

import math

import torch
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 1))
opt = torch.optim.Adam(net.parameters(), lr=5e-3)


def task():
    amplitude, phase = 1 + 2 * torch.rand(1), math.pi * torch.rand(1)
    x = 6 * torch.rand(20, 1) - 3
    return x, amplitude * torch.sin(x + phase)


def adapted(params, x, y, lr=0.05):
    loss = nn.functional.mse_loss(functional_call(net, params, (x,)), y)
    grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
    return {k: p - lr * g for (k, p), g in zip(params.items(), grads)}


for it in range(25):
    opt.zero_grad()
    meta_loss = 0.0
    for _ in range(4):
        x, y = task()
        params = dict(net.named_parameters())
        for _ in range(2):
            params = adapted(params, x[:10], y[:10])
        meta_loss = meta_loss + nn.functional.mse_loss(
            functional_call(net, params, (x[10:],)), y[10:]
        )
    meta_loss = meta_loss / 4
    meta_loss.backward()
    opt.step()
    if it % 6 == 0:
        print(f"iteration {it} meta loss {meta_loss.item():.5f}")


def task_loss(params, x, y):
    return nn.functional.mse_loss(functional_call(net, params, (x,)), y)


params = {k: p.detach() for k, p in net.named_parameters()}
xs, ys = zip(*[task() for _ in range(3)])
per_task = vmap(grad(task_loss), in_dims=(None, 0, 0))(params, torch.stack(xs), torch.stack(ys))
print("per-task gradients", {k: tuple(v.shape) for k, v in per_task.items()})
print(f"norm {sum(v.pow(2).sum() for v in per_task.values()).sqrt().item():.4f}")
