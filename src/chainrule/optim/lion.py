"""Lion."""

from __future__ import annotations

from typing import Any

from . import rules
from .checks import options
from .optimizer import ParamsT
from .rule_optimizer import RuleOptimizer


class Lion(RuleOptimizer):
    """Steps by the sign of an interpolated momentum (Chen et al., 2023).

    All elements move by `lr`, so choose it three to ten times smaller than Adam's.

    >>> import chainrule as torch
    >>> w = torch.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = torch.optim.Lion([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([ 0.9000, -1.9000], requires_grad=True)
    """

    rule = staticmethod(rules.lion)
    states = ("exp_avg",)
    counters = ()

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        beta1, beta2 = group["betas"]
        return {
            "lr": group["lr"],
            "keep": 1 - group["lr"] * group["weight_decay"],
            "beta1": beta1,
            "new1": 1 - beta1,
            "beta2": beta2,
            "new2": 1 - beta2,
        }
