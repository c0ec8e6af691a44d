"""Adagrad."""

from __future__ import annotations

from typing import Any, ClassVar

import chainrule as cr

from ..autograd import refusal
from . import rules
from .checks import options
from .helper_names import step_function_of
from .optimizer import ParamsT
from .rule_optimizer import RuleOptimizer, new_counter


class Adagrad(RuleOptimizer):
    """Rates that fall with the gradients seen so far (Duchi et al., 2011)."""

    rule = staticmethod(rules.adagrad)
    states = ("sum",)
    later_options: ClassVar[dict[str, Any]] = {
        "foreach": None,
        "maximize": False,
        "differentiable": False,
        "fused": None,
    }

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        super().__init__(params, options(locals()))
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p].update(self._new_state(group, p))

    def share_memory(self) -> None:
        """Nothing to do: processes get copies of arrays; kept for PyTorch's programs."""

    def _new_state(self, group: dict[str, Any], p: Any) -> dict[str, Any]:
        start = self.defaults["initial_accumulator_value"]
        if p._level is not None and p._level.kind == "uninitialized":
            p._level.array(p, "Adagrad, whose state has its shape")  # raises
        total = cr.full_like(p, complex(start, start) if p.is_complex() else start)
        return {"step": new_counter(0.0, bool(group["fused"])), "sum": total.detach()}

    def _check_step(self) -> None:
        super()._check_step()
        for group in self.param_groups:
            sparse = any(p._grad is not None and p._grad.is_sparse for p in group["params"])
            if sparse and group["weight_decay"] != 0:
                raise refusal.runtime(
                    "weight_decay option is not compatible with sparse gradients: it would move "
                    "every row"
                )

    def _step_sparse(self, group: dict[str, Any], p: Any) -> None:
        """Only the rows of the gradient, their sums and nothing else."""
        state = self._state_of(group, p)
        state["step"].add_(1)
        rate = self._numbers(group, {"step": state["step"].item()})["rate"]
        grad = p._grad.coalesce()
        places, values = tuple(grad._indices()), grad._values()
        values = -values if group["maximize"] else values
        total = state["sum"][places] + values * values
        state["sum"][places] = total
        p[places] = p[places] - values / (total.sqrt() + group["eps"]) * rate

    def _numbers(self, group: dict[str, Any], counted: dict[str, Any]) -> dict[str, Any]:
        return {
            "weight_decay": group["weight_decay"],
            "eps": group["eps"],
            "rate": group["lr"] / (1 + (counted["step"] - 1) * group["lr_decay"]),
        }


__getattr__ = step_function_of(__name__)
