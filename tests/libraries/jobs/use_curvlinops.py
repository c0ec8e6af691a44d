"""Hessians, Gauss-Newton, Fisher and Kronecker-factored curvature as linear operators."""

import json

import curvlinops
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3)).double()
inputs, labels = torch.randn(10, 6).double(), torch.randint(0, 3, (10,))
data = [(inputs[:5], labels[:5]), (inputs[5:], labels[5:])]
loss = nn.CrossEntropyLoss()
parameters = list(model.parameters())
vector = torch.randn(sum(p.numel() for p in parameters)).double()

printed = {}
for name in ("Hessian", "GGN", "EF", "KFAC", "EKFAC"):
    operator = getattr(curvlinops, f"{name}LinearOperator")(model, loss, parameters, data)
    product = operator @ vector
    printed[name] = [product.tolist(), float(vector @ product)]
for name in ("Jacobian", "TransposedJacobian"):
    operator = getattr(curvlinops, f"{name}LinearOperator")(model, parameters, data)
    ones = torch.ones(operator.shape[1], dtype=torch.float64)
    printed[name] = [list(operator.shape), (operator @ ones).tolist()]
print(json.dumps(printed))
