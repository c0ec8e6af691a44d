"""SGD."""

from __future__ import annotations

from typing import Any, ClassVar

from ..autograd import refusal
from . import rules
from .checks import options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import RuleOptimizer, rate_of


class SGD(RuleOptimizer):
    """Gradient descent, optionally with momentum (also Nesterov's) and weight decay.

    >>> import chainrule as torch
    >>> w = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000, 1.6000], requires_grad=True)
    """

    rule = staticmethod(rules.sgd)
    counters = ()
    later_options: ClassVar[dict[str, Any]] = {
        "nesterov": False, "maximize": False, "foreach": None, "differentiable": False,
        "fused": False,
    }  # fmt: skip

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Any = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = options(locals())
        if nesterov and (momentum <= 0 or dampening != 0):
            raise refusal.value(
                "Nesterov momentum requires a momentum and zero dampening, but momentum is "
                f"{momentum} and dampening {dampening}",
                fix="for example momentum=0.9, dampening=0.",
            )
        super().__init__(params, defaults)

    def _state_names(self, group: dict[str, Any]) -> tuple[str, ...]:
        return ("momentum_buffer",) if group["momentum"] != 0 else ()

    def _flags(
        self, group: dict[str, Any], state: dict[str, Any], counted: dict[str, Any]
    ) -> dict[str, bool]:
        momentum = group["momentum"] != 0
        return {
            "maximize": group["maximize"],
            "decay": bool(group["weight_decay"] != 0),
            "momentum": momentum,
            "nesterov": momentum and group["nesterov"],
            "first": momentum and state.get("momentum_buffer") is None,
            "cut": momentum and bool(group["differentiable"]),
        }

    def _step_sparse(self, group: dict[str, Any], p: Any) -> None:
        """Without momentum and decay only the rows of the gradient move; else all do."""
        if group["momentum"] != 0 or group["weight_decay"] != 0:
            sparse, p._grad = p._grad, p._grad.to_dense()
            try:
                self._step_groups([{**group, "params": [p]}])
            finally:
                p._grad = sparse
            return
        grad = p._grad.coalesce()
        sign = -1 if group["maximize"] else 1
        p.index_put_(
            tuple(grad._indices()), grad._values() * (-sign * rate_of(group)), accumulate=True
        )

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        return {
            "lr": group["lr"],
            "weight_decay": group["weight_decay"],
            "momentum": group["momentum"],
            "undamped": 1 - group["dampening"],
        }


__getattr__ = step_function_of(__name__)
