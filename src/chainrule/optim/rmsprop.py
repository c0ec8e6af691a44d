"""RMSprop."""

from __future__ import annotations

from typing import Any, ClassVar

from . import rules
from .checks import check_not_negative, options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import COMMON_OPTIONS, RuleOptimizer


class RMSprop(RuleOptimizer):
    """The gradient over the root of its mean square (Hinton, 2012); `centered` by its variance."""

    rule = staticmethod(rules.rmsprop)
    later_options: ClassVar[dict[str, Any]] = COMMON_OPTIONS | {"momentum": 0, "centered": False}

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_not_negative(alpha=alpha)
        super().__init__(params, options(locals()))

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        names = ["square_avg"]
        if group["momentum"] > 0:
            names.append("momentum_buffer")
        if group["centered"]:
            names.append("grad_avg")
        return tuple(names)

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        return {
            "maximize": group["maximize"],
            "decay": group["weight_decay"] != 0,
            "centered": group["centered"],
            "momentum": group["momentum"] > 0,
            "far": group["alpha"] <= 0.5,
        }

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        return {
            "lr": group["lr"],
            "weight_decay": group["weight_decay"],
            "momentum": group["momentum"],
            "alpha": group["alpha"],
            "new": 1 - group["alpha"],
            "eps": group["eps"],
        }


__getattr__ = step_function_of(__name__)
