"""LAMB."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as cr

from .before_step import check_step
from .checks import options
from .optimizer import Optimizer, ParamsT, evaluated
from .rule_optimizer import new_counter, rate_of


class LAMB(Optimizer):
    """Adam's direction, with a length in proportion to each layer's weights (You et al., 2020).

    For very large batches. `always_adapt` scales also layers without weight decay, which the paper
    does and many users do not want for biases and norms.

    >>> import chainrule as torch
    >>> w = torch.tensor([3.0, 4.0], requires_grad=True)
    >>> optimizer = torch.optim.LAMB([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([2.6464, 3.6464], requires_grad=True)
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
        weight_decay: float = 0.0,
        *,
        always_adapt: bool = True,
        maximize: bool = False,
    ) -> None:
        super().__init__(params, options(locals()))

    @cr.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters that have a gradient."""
        loss = evaluated(closure)
        check_step(self, ("exp_avg", "exp_avg_sq"), counters=("step",), one_type=True)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["step"] = new_counter()
                    state["exp_avg"] = cr.zeros_like(p, requires_grad=False)
                    state["exp_avg_sq"] = cr.zeros_like(p, requires_grad=False)
                lamb_update(p, p.grad, state, group)
        return loss


def lamb_update(p: Any, g: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
    """One step of one parameter."""
    beta1, beta2 = group["betas"]
    g = -g if group["maximize"] else g
    step = state["step"].add_(1).double()
    mean = state["exp_avg"].lerp_(g, 1 - beta1)
    square = state["exp_avg_sq"].mul_(beta2).addcmul_(g, g, value=1 - beta2)
    below = (square / (1 - beta2**step)).sqrt() + group["eps"]
    update = mean / (1 - beta1**step) / below
    if group["weight_decay"] != 0:
        update = update + p * group["weight_decay"]
    if group["always_adapt"] or group["weight_decay"] != 0:
        weights, length = p.norm(), update.norm()
        known = (weights > 0) & (length > 0)
        update = update * cr.where(known, weights / length, cr.ones_like(length))
    p.sub_(update * rate_of(group))
