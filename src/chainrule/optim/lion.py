"""Lion."""

from __future__ import annotations

from typing import Any

from . import rules
from .checks import check_betas, check_lr, check_not_negative
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
        check_lr(lr)
        check_betas(betas)
        check_not_negative(weight_decay=weight_decay)
        defaults = {
            "lr": lr, "betas": betas, "weight_decay": weight_decay, "maximize": maximize,
            "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("exp_avg",)

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        return {"maximize": group["maximize"], "decay": group["weight_decay"] != 0}

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
