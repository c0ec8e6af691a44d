"""SciPy's minimisers on losses of tensors, with exact gradients and Hessians.

SciPy works on one vector of doubles; `Objective` is a loss seen that way. `minimize` hands it to
`scipy.optimize.minimize` with whatever derivatives the chosen method can use, and leaves the result
in the parameters.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ..autograd.accidents import explain_module
from ..ops import interrupts
from .objective import Objective

# What SciPy's methods ask for; the others take a gradient.
_WITHOUT_DERIVATIVES = {"nelder-mead", "powell", "cobyla", "cobyqa"}
_WITH_PRODUCTS = {"newton-cg", "trust-ncg", "trust-krylov", "trust-constr"}
_WITH_HESSIAN = {"dogleg", "trust-exact"}


def minimize(
    loss: Callable[[], Any],
    params: Any,
    *,
    method: str | None = None,
    callback: Callable[..., Any] | None = None,
    **options: Any,
) -> Any:
    """Minimise a loss by one of SciPy's methods; the parameters have the result afterwards.

    loss      takes no arguments and returns a tensor of one element, as an optimizer's closure
    params    the tensor or tensors it depends on: leaves that require gradients
    method    of `scipy.optimize.minimize`, which gets the gradient, and products with the Hessian
              (or, for "dogleg" and "trust-exact", the Hessian) where it can use them
    callback  SciPy's; while it runs, the parameters have the values it is told of

    All else (`bounds`, `constraints`, `tol`, `options`) goes to SciPy as it is. Returns SciPy's
    result; its `x` is the vector of all parameters. Computing in float32 ends where its rounding
    begins: for small tolerances use parameters of float64.

    >>> import chainrule as torch
    >>> from chainrule.interop.scipy import minimize
    >>> x = torch.tensor([-1.2, 1.0], dtype=torch.float64, requires_grad=True)
    >>> found = minimize(lambda: (1 - x[0])**2 + 100 * (x[1] - x[0]**2)**2, x, method="trust-ncg")
    >>> found.success, x.detach().round(decimals=3)
    (True, tensor([1., 1.], dtype=torch.float64))
    """
    interrupts.load("scipy.optimize")
    from scipy import optimize

    objective = Objective(loss, params)
    x0 = objective.x0
    name = method.lower() if isinstance(method, str) else ""
    derivatives: dict[str, Any] = {}
    if name not in _WITHOUT_DERIVATIVES and "jac" not in options:
        derivatives["jac"] = True
    if not {"hess", "hessp"} & options.keys():
        if name in _WITH_PRODUCTS:
            derivatives["hessp"] = objective.hessian_product
        elif name in _WITH_HESSIAN:
            derivatives["hess"] = objective.hessian
    function = objective.value_and_gradient if derivatives.get("jac") else objective.value
    found = optimize.minimize(
        function, x0, method=method, callback=_seeing_parameters(objective, callback),
        **derivatives, **options,
    )  # fmt: skip
    objective.assign(found.x)
    return found


def _seeing_parameters(objective: Objective, callback: Any) -> Any:
    """The callback with the parameters set to the point it is told of."""
    if callback is None:
        return None
    if "intermediate_result" in inspect.signature(callback).parameters:  # as SciPy asks

        def told(intermediate_result: Any) -> Any:
            objective.assign(intermediate_result.x)
            return callback(intermediate_result=intermediate_result)

        return told

    def called(x: Any, *state: Any) -> Any:
        objective.assign(x)
        return callback(x, *state)

    return called


def __getattr__(name: str) -> Any:
    if name in ("Residuals", "least_squares", "root"):
        from . import residuals

        return getattr(residuals, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


explain_module(globals())
