"""NAdam."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from . import rules
from .checks import options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import COMMON_OPTIONS, RuleOptimizer, new_counter


class NAdam(RuleOptimizer):
    """Adam with Nesterov momentum (Dozat, 2016); `decoupled_weight_decay` makes it NAdamW."""

    rule = staticmethod(rules.nadam)
    states = ("exp_avg", "exp_avg_sq")
    counters = ("step", "mu_product")
    later_options: ClassVar[dict[str, Any]] = COMMON_OPTIONS | {"decoupled_weight_decay": False}

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def _new_state(self, group: dict[str, Any], p: Any) -> dict[str, Any]:
        return {"step": new_counter(), "mu_product": new_counter(1.0)}

    def _advance(
        self, group: dict[str, Any], state: dict[str, Any], read: Callable[[Any], Any]
    ) -> None:
        state["step"].add_(1)
        state["mu_product"].mul_(_momentum(group, read(state["step"])))

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        return {
            "maximize": group["maximize"],
            "decay": group["weight_decay"] != 0,
            "decoupled": group["decoupled_weight_decay"],
            "far": group["betas"][0] <= 0.5,
        }

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        lr, weight_decay = group["lr"], group["weight_decay"]
        beta1, beta2 = group["betas"]
        step, product = counted["step"], counted["mu_product"]
        following = _momentum(group, step + 1)
        return {
            "keep": 1 - lr * weight_decay,
            "weight_decay": weight_decay,
            "beta1": beta1,
            "new1": 1 - beta1,
            "beta2": beta2,
            "new2": 1 - beta2,
            "eps": group["eps"],
            "unbias2": (1 - beta2**step) ** -0.5,
            "by_gradient": lr * (1 - _momentum(group, step)) / (1 - product),
            "by_mean": lr * following / (1 - product * following),
        }


def _momentum(group: dict[str, Any], step: Any) -> Any:
    """How much of the average counts at a step: it grows towards beta1."""
    return group["betas"][0] * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"]))


__getattr__ = step_function_of(__name__)
