"""Adadelta."""

from __future__ import annotations

from typing import Any, ClassVar

from . import rules
from .checks import options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import COMMON_OPTIONS, RuleOptimizer


class Adadelta(RuleOptimizer):
    """Moves in the unit of earlier moves, so that no rate need be found (Zeiler, 2012)."""

    rule = staticmethod(rules.adadelta)
    states = ("square_avg", "acc_delta")
    later_options: ClassVar[dict[str, Any]] = COMMON_OPTIONS

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        return {
            "lr": group["lr"],
            "weight_decay": group["weight_decay"],
            "rho": group["rho"],
            "new": 1 - group["rho"],
            "eps": group["eps"],
        }


__getattr__ = step_function_of(__name__)
