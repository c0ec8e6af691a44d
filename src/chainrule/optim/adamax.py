"""Adamax."""

from __future__ import annotations

from typing import Any, ClassVar

from . import rules
from .checks import options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import COMMON_OPTIONS, RuleOptimizer


class Adamax(RuleOptimizer):
    """Adam by the infinity norm (Kingma and Ba, 2015)."""

    rule = staticmethod(rules.adamax)
    states = ("exp_avg", "exp_inf")
    later_options: ClassVar[dict[str, Any]] = COMMON_OPTIONS

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        return {
            "maximize": group["maximize"],
            "decay": group["weight_decay"] != 0,
            "far": group["betas"][0] <= 0.5,
        }

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        beta1, beta2 = group["betas"]
        return {
            "weight_decay": group["weight_decay"],
            "beta1": beta1,
            "new1": 1 - beta1,
            "beta2": beta2,
            "eps": group["eps"],
            "step_size": group["lr"] / (1 - beta1 ** counted["step"]),
        }


__getattr__ = step_function_of(__name__)
