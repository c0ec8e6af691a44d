"""Rosenbrock's function is minimised by BFGS, Newton, conjugate gradients and trust regions."""

import json

import torch
from torchmin import Minimizer, least_squares, minimize
from torchmin.benchmarks import rosen

start = torch.tensor([1.0, 8.0, -0.5], dtype=torch.float64)
out = {}
for method in ("bfgs", "l-bfgs", "cg", "newton-cg", "newton-exact", "trust-ncg"):
    found = minimize(rosen, start, method=method, max_iter=40)
    out[method] = [*found.x.tolist(), float(found.fun), found.nit]
fitted = least_squares(lambda p: torch.stack([p[0] - 2, p[1] * p[0] - 3, p[1] ** 2 - 1]),
                       torch.ones(2, dtype=torch.float64))  # fmt: skip
out["least squares"] = fitted.x.tolist()
torch.manual_seed(0)
layer, x = torch.nn.Linear(3, 1), torch.randn(10, 3)
y = x.sum(1, keepdim=True)
optimizer = Minimizer(layer.parameters(), method="bfgs", max_iter=5)


def closure():
    optimizer.zero_grad()
    return torch.nn.functional.mse_loss(layer(x), y)


out["layer"] = float(optimizer.step(closure))
print(json.dumps(out))
