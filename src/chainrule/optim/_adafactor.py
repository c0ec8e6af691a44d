"""Adafactor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as cr

from ..autograd import refusal
from .before_step import check_step
from .checks import check_lr, named
from .optimizer import Optimizer, ParamsT, evaluated
from .rule_optimizer import new_counter, rate_of, steps_as_tensors


class Adafactor(Optimizer):
    """Second moments of a matrix from its rows and columns alone (Shazeer and Stern, 2018)."""

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 >= beta2_decay:
            raise refusal.value(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        if eps[0] is not None and not 0.0 <= eps[0]:
            raise refusal.value(f"epsilon1 should be >= 0 but is: {eps[0]}")
        if not 0.0 <= eps[1]:
            raise refusal.value(f"epsilon2 should be >= 0 but is: {eps[1]}")
        if not 1.0 <= d:
            raise refusal.value(f"Clipping threshold d should be >= 1 but is: {d}")
        if not 0.0 <= weight_decay:
            raise refusal.value(f"weight_decay should be >= 0 but is: {weight_decay}")
        super().__init__(params, named(locals()))

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group.setdefault("foreach", None)
        steps_as_tensors(self, "step")

    def _state_of(self, p: Any) -> dict[str, Any]:
        state = self.state[p]
        if not state:
            state["step"] = new_counter()
            for name, shape in _shapes(p).items():
                state[name] = p.grad.new_zeros(shape)
        return state

    @cr.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters that have a gradient."""
        loss = evaluated(closure)
        check_step(self, _shapes, counters=("step",), one_type=True)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    adafactor_update(p, p.grad, self._state_of(p), group)
        return loss


def _shapes(p: Any) -> dict[str, tuple[int, ...]]:
    """The state of a parameter: of matrices the means of rows and of columns."""
    if p.is_complex():
        raise refusal.runtime("Adafactor does not support complex parameters")
    if p.dim() <= 1:
        return {"variance": tuple(p.shape)}
    return {"row_var": (*p.shape[:-1], 1), "col_var": (*p.shape[:-2], 1, p.shape[-1])}


def adafactor_update(p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
    """One step of one parameter."""
    if group["maximize"]:
        g = -g
    lr = rate_of(group)
    floor, least_scale = group["eps"]
    floor = cr.finfo(p.dtype).eps if floor is None else floor
    step = state["step"].add_(1).double()
    weight = (step ** group["beta2_decay"]).to(p.dtype)
    scale = (p.norm(2) / p.numel() ** 0.5).clamp(min=least_scale) * (step**-0.5).clamp(max=lr)
    if group["weight_decay"] != 0:
        p.mul_(1 - lr * group["weight_decay"])
    variance = _second_moment(g, state, weight, floor)
    update = variance.clamp(min=floor * floor).rsqrt() * g
    clip = (update.norm(2) / (update.numel() ** 0.5 * group["d"])).clamp(min=1.0)
    p.sub_(update * (scale / clip))


def _second_moment(g: Any, state: dict[str, Any], weight: Any, floor: float) -> Any:
    """The estimate of each element's mean square; of matrices as the product of two vectors."""
    if g.dim() <= 1:
        return state["variance"].lerp_(g * g, weight)
    rows, columns = state["row_var"], state["col_var"]
    rows.lerp_((g * g).mean(dim=-1, keepdim=True), weight)
    columns.lerp_((g * g).mean(dim=-2, keepdim=True), weight)
    return rows @ columns / rows.mean(dim=-2, keepdim=True).clamp(min=floor)
