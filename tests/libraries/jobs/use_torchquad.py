"""Integrals over boxes by Simpson's rule, Gauss-Legendre and Monte Carlo, with derivatives."""

import json

import torch
from torchquad import Boole, GaussLegendre, MonteCarlo, Simpson, set_up_backend

set_up_backend("torch", data_type="float64")
scale = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)


def wave(x):
    return torch.sin(scale * x[:, 0]) + torch.exp(x[:, 1])


box = torch.tensor([[0.0, 1.0], [-1.0, 1.0]], dtype=torch.float64)
printed = {}
for rule in (Simpson(), Boole(), GaussLegendre()):
    scale.grad = None
    value = rule.integrate(wave, dim=2, N=1089, integration_domain=box)
    value.backward()
    printed[type(rule).__name__] = [value.item(), scale.grad.item()]
drawn = MonteCarlo().integrate(wave, dim=2, N=1000, integration_domain=box, seed=1)
printed["MonteCarlo"] = drawn.item()
print(json.dumps(printed))
