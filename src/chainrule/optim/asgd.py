"""ASGD."""

from __future__ import annotations

from typing import Any, ClassVar

import chainrule as cr

from . import rules
from .checks import options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import COMMON_OPTIONS, RuleOptimizer, new_counter, number


class ASGD(RuleOptimizer):
    """Gradient descent with a falling rate; `state[p]["ax"]` is the average of its path."""

    rule = staticmethod(rules.asgd)
    states = ("ax",)
    counters = ("step", "eta", "mu")
    later_options: ClassVar[dict[str, Any]] = COMMON_OPTIONS

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def _new_state(self, group: dict[str, Any], p: Any) -> dict[str, Any]:
        eta = new_counter(number(group["lr"]))
        return {"step": new_counter(), "eta": eta, "mu": new_counter(1.0)}

    def _advance(self, group: dict[str, Any], state: dict[str, Any], read: Any) -> None:
        state["step"].add_(1)

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        return {
            "maximize": group["maximize"],
            "decay": group["weight_decay"] != 0,
            "averaging": isinstance(counted["mu"], cr.Tensor) or counted["mu"] != 1,
        }

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        return {
            "weight_decay": group["weight_decay"],
            "keep": 1 - group["lambd"] * counted["eta"],
            "eta": counted["eta"],
            "mu": counted["mu"],
        }

    def _finish(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> None:
        """The rate and the weight of the average for the next step."""
        step, lr = counted["step"], group["lr"]
        eta = lr / (1 + group["lambd"] * lr * step) ** group["alpha"]
        since = step - group["t0"]
        if isinstance(step, cr.Tensor):
            state["eta"].copy_(eta)
            state["mu"].copy_(1 / since.clamp(min=1.0))
        else:
            state["eta"].fill_(number(eta))
            state["mu"].fill_(1 / max(1, since))


__getattr__ = step_function_of(__name__)
