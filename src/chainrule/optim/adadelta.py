"""Adadelta."""

from __future__ import annotations

from typing import Any, ClassVar

from ..autograd import refusal
from . import rules
from .checks import check_lr, check_not_negative
from .optimizer import ParamsT
from .rule_optimizer import COMMON_OPTIONS, RuleOptimizer


class Adadelta(RuleOptimizer):
    """Moves in the unit of earlier moves, so that no rate need be found (Zeiler, 2012)."""

    rule = staticmethod(rules.adadelta)
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
        check_lr(lr)
        if not 0.0 <= rho <= 1.0:
            raise refusal.value(f"Invalid rho value: {rho}", fix="choose one in [0, 1].")
        check_not_negative(epsilon=eps, weight_decay=weight_decay)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("square_avg", "acc_delta")

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        return {"maximize": group["maximize"], "decay": group["weight_decay"] != 0}

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        return {
            "lr": group["lr"],
            "weight_decay": group["weight_decay"],
            "rho": group["rho"],
            "new": 1 - group["rho"],
            "eps": group["eps"],
        }
