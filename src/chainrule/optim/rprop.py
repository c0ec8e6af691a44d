"""Rprop."""

from __future__ import annotations

from typing import Any, ClassVar

import chainrule as cr

from . import rules
from .checks import options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import COMMON_OPTIONS, RuleOptimizer, new_counter, number


class Rprop(RuleOptimizer):
    """Steps by the sign of the gradient alone, for full batches (Riedmiller and Braun, 1993)."""

    rule = staticmethod(rules.rprop)
    states = ("prev", "step_size")
    later_options: ClassVar[dict[str, Any]] = COMMON_OPTIONS

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def _new_state(self, group: dict[str, Any], p: Any) -> dict[str, Any]:
        lr = number(group["lr"])
        return {
            "step": new_counter(),
            "prev": cr.zeros_like(p, requires_grad=False),
            "step_size": cr.full_like(p, complex(lr, lr) if p.is_complex() else lr).detach(),
        }

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        return {"maximize": group["maximize"]}

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        shrink, grow = group["etas"]
        smallest, largest = group["step_sizes"]
        return {"shrink": shrink, "grow": grow, "smallest": smallest, "largest": largest}


__getattr__ = step_function_of(__name__)
