"""RAdam."""

from __future__ import annotations

from typing import Any, ClassVar

import chainrule as cr

from . import rules
from .checks import options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import COMMON_OPTIONS, RuleOptimizer


class RAdam(RuleOptimizer):
    """Adam that starts as momentum until its second moment can be trusted (Liu et al., 2020)."""

    rule = staticmethod(rules.radam)
    states = ("exp_avg", "exp_avg_sq")
    traced_whole: ClassVar[bool] = False  # whether the second moment is used depends on the count
    later_options: ClassVar[dict[str, Any]] = COMMON_OPTIONS | {"decoupled_weight_decay": False}

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        undecided = isinstance(counted["step"], cr.Tensor)
        trusted = not undecided and _certainty(group["betas"][1], counted["step"])[0] > 5.0
        return {
            "maximize": group["maximize"],
            "decay": group["weight_decay"] != 0,
            "decoupled": group["decoupled_weight_decay"],
            "far": group["betas"][0] <= 0.5,
            "rectified": trusted,
            "undecided": undecided,
        }

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        lr, weight_decay, step = group["lr"], group["weight_decay"], counted["step"]
        beta1, beta2 = group["betas"]
        length, limit = _certainty(beta2, step)
        trusted = length > 5.0
        plain = lr / (1 - beta1**step)
        numbers = {
            "keep": 1 - lr * weight_decay,
            "weight_decay": weight_decay,
            "beta1": beta1,
            "new1": 1 - beta1,
            "beta2": beta2,
            "new2": 1 - beta2,
            "eps": group["eps"],
            "plain": plain,
            "adaptive": 0.0,
        }
        if isinstance(step, cr.Tensor):
            numbers["trusted"] = trusted
            length = cr.where(trusted, length, 6.0)  # the unused branch must not be NaN
        if isinstance(step, cr.Tensor) or trusted:
            above = (length - 4) * (length - 2) * limit
            below = (limit - 4) * (limit - 2) * length
            numbers["adaptive"] = plain * (above / below * (1 - beta2**step)) ** 0.5
        return numbers


def _certainty(beta2: float, step: Any) -> tuple[Any, float]:
    """The length of the average that the second moment stands for: now, and in the end."""
    limit = 2 / (1 - beta2) - 1
    return limit - 2 * step * beta2**step / (1 - beta2**step), limit


__getattr__ = step_function_of(__name__)
