"""Structured matrices: products, solves, log-determinants and roots, with gradients."""

import json

import torch
from linear_operator import operators, settings

torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
root = torch.randn(8, 3, requires_grad=True)
diagonal = torch.rand(8) + 1.0
matrix = operators.AddedDiagLinearOperator(
    operators.RootLinearOperator(root), operators.DiagLinearOperator(diagonal)
)
kronecker = operators.KroneckerProductLinearOperator(
    operators.DenseLinearOperator(torch.eye(2) * 2 + 0.1),
    operators.ToeplitzLinearOperator(torch.tensor([3.0, 1.0, 0.5])),
)
right = torch.randn(8, 2)
with settings.fast_computations(False, False, False):
    solved = matrix.solve(right)
    quadratic, determinant = matrix.inv_quad_logdet(right, logdet=True)
(solved.sum() + quadratic + determinant).backward()
values, _ = torch.linalg.eigh(kronecker)
print(
    json.dumps(
        {
            "solved": solved.flatten().tolist(),
            "quadratic": [quadratic.item(), determinant.item()],
            "gradient": root.grad.flatten().tolist(),
            "kronecker": kronecker.to_dense().flatten().tolist(),
            "product": (kronecker @ torch.ones(6)).tolist(),
            "diagonal": matrix.diagonal().tolist(),
            "values": values.tolist(),
            "root": matrix.cholesky().to_dense().flatten().tolist(),
            "sum": (matrix + matrix).to_dense().sum().item(),
        }
    )
)
