"""Muon."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import chainrule as cr

from ..autograd import refusal
from ..autograd.accidents import in_words
from .before_step import check_step
from .checks import check_lr, named
from .optimizer import Optimizer, ParamsT, evaluated
from .rule_optimizer import rate_of

_COEFFICIENTS = (3.4445, -4.7750, 2.0315)


class Muon(Optimizer):
    """Momentum made orthogonal by Newton-Schulz steps, for the matrices of hidden layers.

    Biases, embeddings and the last layer belong to another optimizer, such as AdamW.

    >>> import chainrule as torch
    >>> w = torch.eye(2, requires_grad=True)
    >>> optimizer = torch.optim.Muon([w], lr=0.1, weight_decay=0.0)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> bool(w[0, 0] < 1)
    True
    """

    def __init__(
        self,
        params: ParamsT,
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = _COEFFICIENTS,
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_lr(lr, "Learning rate should be >= 0 but is: {}")
        if not 0.0 <= momentum:
            raise refusal.value(f"momentum should be >= 0 but is: {momentum}")
        if not 0.0 <= weight_decay:
            raise refusal.value(f"weight decay should be >= 0 but is: {weight_decay}")
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise refusal.value(
                f"Adjust learning rate function {adjust_lr_fn} is not supported",
                fix="'original' or 'match_rms_adamw'.",
            )
        super().__init__(params, named(locals()))
        self._refuse_others_than_matrices()

    def _refuse_others_than_matrices(self) -> None:
        for group in self.param_groups:
            for p in group["params"]:
                if p.ndim != 2:
                    raise refusal.value(
                        "Muon only supports 2D parameters whereas we found a parameter with size: "
                        f"{p.size()}",
                        fix="give it matrices only, and the rest to AdamW.",
                    )

    @cr.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Update the parameters that have a gradient."""
        loss = evaluated(closure)
        check_step(self, ("momentum_buffer",), one_type=True)
        self._refuse_others_than_matrices()
        held = (p for group in self.param_groups for p in group["params"])
        if any(p.is_complex() and p.grad is not None for p in held):
            raise refusal.runtime("Muon does not support complex parameters")
        for group in self.param_groups:
            _check_series(group["ns_coefficients"], group["ns_steps"])
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if "momentum_buffer" not in state:
                    state["momentum_buffer"] = cr.zeros_like(p.grad)
                muon_update(p, p.grad, state["momentum_buffer"], group)
        return loss


def muon_update(p: Any, g: Any, buffer: Any, group: dict[str, Any]) -> None:
    """One step of one matrix."""
    momentum, lr = group["momentum"], rate_of(group)
    buffer.lerp_(g, 1 - momentum)
    direction = g.lerp(buffer, momentum) if group["nesterov"] else buffer
    direction = orthogonalised(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
    p.mul_(1 - lr * group["weight_decay"])
    p.sub_(direction * (lr * _scale(group["adjust_lr_fn"], *p.shape)))


def _check_series(coefficients: tuple[float, float, float], steps: int) -> None:
    if steps >= 100:
        raise refusal.value(
            "Number of steps must be less than 100 for computational efficiency, not "
            f"{in_words(steps)}"
        )
    if len(coefficients) != 3:
        raise refusal.value("Coefficients must be a tuple of exactly 3 values")


def orthogonalised(g: Any, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """The matrix with its singular values pushed towards 1, in bfloat16 as PyTorch computes it."""
    a, b, c = coefficients
    tall = g.shape[0] > g.shape[1]
    x = _rounded(g.T if tall else g)
    x = _rounded(x / _rounded(x.norm()).clamp(min=eps))
    for _ in range(steps):
        gram = _rounded(x @ x.T)
        x = _rounded(a * x + _rounded(b * gram + c * (gram @ gram)) @ x)
    return (x.T if tall else x).to(g.dtype)


def _rounded(x: Any) -> Any:
    """To bfloat16 and back: products of float32 are much faster and sum as PyTorch does."""
    return x.bfloat16().float()


def _scale(name: str | None, rows: int, columns: int) -> float:
    """How the rate depends on the shape of the matrix."""
    if name == "match_rms_adamw":
        return 0.2 * math.sqrt(max(rows, columns))
    return math.sqrt(max(1, rows / columns))
