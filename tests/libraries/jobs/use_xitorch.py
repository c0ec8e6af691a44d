"""Roots, equilibria, linear systems, eigenvalues and initial value problems, with gradients."""

import json

import torch
import xitorch
from xitorch.integrate import solve_ivp
from xitorch.linalg import solve, symeig
from xitorch.optimize import equilibrium, minimize, rootfinder

torch.manual_seed(0)
double = {"dtype": torch.float64}
a = torch.tensor([0.8, 1.5], requires_grad=True, **double)


def cubic(y, a):
    return y**3 + a * y - 1.0


root = rootfinder(cubic, torch.zeros(2, **double), params=(a,))
still = equilibrium(lambda y, a: torch.cos(a * y), torch.ones(2, **double) * 0.7, params=(a / 2,))
least = minimize(lambda y, a: ((y - a) ** 4 + (y - a) ** 2).sum(), a.detach() + 0.3, params=(a,),
                 method="gd", step=0.05, maxiter=300)  # fmt: skip
times = torch.linspace(0, 1, 5, **double)
path = solve_ivp(lambda t, y, a: -a * y, times, torch.ones(2, **double), params=(a,))
matrix = torch.randn(4, 4, **double)
matrix = (matrix @ matrix.T + 4 * torch.eye(4, **double)).requires_grad_()
operator = xitorch.LinearOperator.m(matrix)
solved = solve(operator, torch.ones(4, 1, **double))
values = symeig(operator, neig=2, mode="lowest")[0]
total = root.sum() + still.sum() + path.sum() + solved.sum() + values.sum()
total.backward()
found = (root, still, least, path, solved, values, a.grad, matrix.grad)
print(json.dumps({f"part {k}": t.detach().flatten().tolist() for k, t in enumerate(found)}))
