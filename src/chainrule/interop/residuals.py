"""SciPy's solvers of systems: residuals of tensors, with exact Jacobians."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import chainrule as torch

from ..ops import interrupts
from .objective import Objective


class Residuals(Objective):
    """Several numbers as a function of one vector of doubles, and their Jacobian."""

    def values(self, x: Any) -> np.ndarray:
        """The residuals at x, one after the other."""
        self.assign(x)
        with torch.no_grad():
            return np.asarray(self._vector(self.loss()).numpy(), np.float64)

    def jacobian(self, x: Any) -> np.ndarray:
        """The Jacobian at x: a row for every residual, a column for every number."""
        self.assign(x)
        with torch.enable_grad():
            found = self._vector(self.loss())
            if not found.requires_grad:
                return np.zeros((found.numel(), len(self.x0)))
            rows = []
            for k in range(found.numel()):
                unit = torch.zeros_like(found)
                unit[k] = 1
                gradients = torch.autograd.grad(
                    found, self.params, unit, retain_graph=True, allow_unused=True,
                    materialize_grads=True,
                )  # fmt: skip
                rows.append(self._joined(gradients))
        return np.stack(rows) if rows else np.zeros((0, len(self.x0)))

    @staticmethod
    def _vector(found: Any) -> Any:
        if not isinstance(found, torch.Tensor) or found.is_complex():
            kind = found.dtype if isinstance(found, torch.Tensor) else type(found).__name__
            raise TypeError(
                f"the residuals must be a tensor of real numbers, not {kind}\n"
                "  Fix: return torch.stack([...]) of them; of complex ones torch.view_as_real(...)."
            )
        return found.reshape(-1)


def least_squares(residuals: Callable[[], Any], params: Any, **options: Any) -> Any:
    """Minimise the sum of squares of residuals by `scipy.optimize.least_squares`.

    `residuals` takes no arguments and returns a tensor; SciPy gets its exact Jacobian. Options
    (`bounds`, `loss`, `method`, …) go to SciPy; the parameters have the result afterwards.

    >>> import chainrule as torch
    >>> from chainrule.interop.scipy import least_squares
    >>> a = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)
    >>> t = torch.linspace(0, 1, 5, dtype=torch.float64)
    >>> found = least_squares(lambda: a[0] * torch.exp(a[1] * t) - 2 * torch.exp(-3 * t), a)
    >>> a.detach().round(decimals=3)
    tensor([ 2., -3.], dtype=torch.float64)
    """
    interrupts.load("scipy.optimize")
    from scipy import optimize

    problem = Residuals(residuals, params)
    options.setdefault("jac", problem.jacobian)
    found = optimize.least_squares(problem.values, problem.x0, **options)
    problem.assign(found.x)
    return found


def root(function: Callable[[], Any], params: Any, **options: Any) -> Any:
    """Find where a function of as many numbers as there are parameters is zero, by
    `scipy.optimize.root`; the parameters have the result afterwards.

    >>> import chainrule as torch
    >>> from chainrule.interop.scipy import root
    >>> x = torch.tensor([1.0, 1.0], dtype=torch.float64, requires_grad=True)
    >>> found = root(lambda: torch.stack([x[0] * x[1] - 2, x[0] - x[1] - 1]), x)
    >>> x.detach().round(decimals=3)
    tensor([2., 1.], dtype=torch.float64)
    """
    interrupts.load("scipy.optimize")
    from scipy import optimize

    problem = Residuals(function, params)
    if options.get("method", "hybr") in ("hybr", "lm"):
        options.setdefault("jac", problem.jacobian)
    found = optimize.root(problem.values, problem.x0, **options)
    problem.assign(found.x)
    return found
