"""SparseAdam: moves the rows of a matrix that have a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as cr

from ..autograd import refusal
from .before_step import check_step
from .checks import check_betas, check_lr
from .optimizer import Optimizer, ParamsT, evaluated
from .row_gradient import RowGradient as RowGradient
from .rule_optimizer import number


class SparseAdam(Optimizer):
    """Adam that moves only the rows that have a gradient, and only their moments.

    >>> import chainrule as torch
    >>> table = torch.nn.Embedding(1000, 2, sparse=True)
    >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
    >>> table(torch.tensor([3, 7, 3])).sum().backward()
    >>> optimizer.step()
    >>> optimizer.state[table.weight]["exp_avg"].count_nonzero()
    tensor(4)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_lr(lr, positive=True)
        if not 0.0 < eps:
            raise refusal.value(f"Invalid epsilon value: {eps}", fix="it must be greater than 0.")
        check_betas(betas)
        defaults = {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize}
        super().__init__(params, defaults)
        self._refuse_params("Sparse", lambda p: p.is_sparse, "requires dense parameter tensors")
        self._refuse_params(
            "Complex", lambda p: p.is_complex(), "does not support complex parameters"
        )

    def _refuse_params(self, kind: str, test: Callable[[Any], bool], why: str) -> None:
        places = [
            [i, k]
            for i, group in enumerate(self.param_groups)
            for k, p in enumerate(group["params"])
            if test(p)
        ]
        if places:
            raise refusal.value(f"{kind} params at indices {places}: SparseAdam {why}")

    @cr.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the rows that have a gradient."""
        loss = evaluated(closure)
        check_step(self, ("exp_avg", "exp_avg_sq"), sparse=True, counters=("step",))
        self._refuse_dense_gradients()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self._step_one(group, p)
        return loss

    def _refuse_dense_gradients(self) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None and not p.grad.is_sparse:
                    raise refusal.runtime(
                        "SparseAdam does not support dense gradients, please consider Adam instead",
                        f"the gradient of shape {list(p.shape)} is dense",
                        fix="give this parameter to Adam, or make the layer with sparse=True, as "
                        "in nn.Embedding(n, d, sparse=True).",
                    )

    def _step_one(self, group: dict[str, Any], p: Any) -> None:
        grad = p.grad
        state = self.state[p]
        if not state:
            state["step"] = 0
            state["exp_avg"] = cr.zeros_like(p, requires_grad=False)
            state["exp_avg_sq"] = cr.zeros_like(p, requires_grad=False)
        state["step"] += 1
        grad = grad.coalesce()
        values = -grad._values() if group["maximize"] else grad._values()
        if values.numel():
            update_rows(p, tuple(grad._indices()), values, state, group)


def update_rows(
    p: Any, rows: Any, values: Any, state: dict[str, Any], group: dict[str, Any]
) -> None:
    """Adam's step on the places of a parameter and of its moments that `rows` index."""
    beta1, beta2 = group["betas"]
    old_mean, old_square = state["exp_avg"][rows], state["exp_avg_sq"][rows]
    mean = old_mean + (values - old_mean) * (1 - beta1)
    square = old_square + (values * values - old_square) * (1 - beta2)
    state["exp_avg"][rows] = mean.to(old_mean.dtype)  # which the gradient's may be wider than
    state["exp_avg_sq"][rows] = square.to(old_square.dtype)
    step = state["step"]
    size = number(group["lr"]) * (1 - beta2**step) ** 0.5 / (1 - beta1**step)
    p[rows] = (p[rows] - mean / (square.sqrt() + group["eps"]) * size).to(p.dtype)
