"""Sparse alternatives of softmax, with their losses and gradients."""

import json

import entmax
import torch

torch.manual_seed(0)
scores = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)
labels = torch.tensor([0, 3, 5, 1])
printed = {}
for name in ("sparsemax", "entmax15", "entmax_bisect", "budget_bisect"):
    found = getattr(entmax, name)(scores, dim=-1)
    scores.grad = None
    found.square().sum().backward()
    printed[name] = [found.flatten().tolist(), scores.grad.flatten().tolist()]
for loss in (entmax.SparsemaxLoss(), entmax.Entmax15Loss()):
    scores.grad = None
    value = loss(scores, labels)
    value.backward()
    printed[type(loss).__name__] = [value.item(), scores.grad.flatten().tolist()]
print(json.dumps(printed))
