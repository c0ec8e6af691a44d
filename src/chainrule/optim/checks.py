"""Checks of hyperparameters, with PyTorch's words."""

from __future__ import annotations

from typing import Any

import chainrule as cr

from ..autograd import source


def refuse(phrase: str, fix: str = "") -> ValueError:
    """A ValueError that says where it happened and what to do."""
    advice = f"\n  Fix: {fix}" if fix else ""
    return ValueError(f"{phrase}\n  at {source.here(4)}{advice}")


def check_lr(lr: Any, phrase: str = "Invalid learning rate: {}", *, positive: bool = False) -> None:
    """A learning rate is a number, or a tensor of one element, and not negative."""
    if isinstance(lr, cr.Tensor) and lr.numel() != 1:
        raise refuse(
            f"Tensor lr must be 1-element, but its shape is {list(lr.shape)}",
            "use one group per learning rate.",
        )
    if not (lr > 0.0 if positive else lr >= 0.0):
        raise refuse(
            phrase.format(lr), f"choose {'lr > 0' if positive else 'lr >= 0'}, for example 1e-3."
        )


def check_not_negative(**values: Any) -> None:
    """Each value by its name in the message: `weight_decay=...`, `epsilon=...`."""
    for name, value in values.items():
        if not value >= 0.0:
            raise refuse(f"Invalid {name} value: {value}", "it must not be negative.")


def check_betas(betas: Any) -> None:
    """Two decay rates in [0, 1)."""
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise refuse(
                f"Invalid beta parameter at index {i}: {betas[i]}", "choose one in [0, 1)."
            )


def check_forms(fused: Any, differentiable: bool, foreach: Any) -> None:
    """Which of PyTorch's implementations exclude each other."""
    if fused and differentiable:
        raise RuntimeError(
            f"`fused` does not support `differentiable`\n  at {source.here(3)}\n  Fix: leave "
            "`fused` away; it makes no difference here."
        )
    if fused and foreach:
        raise RuntimeError(
            f"`fused` and `foreach` cannot be `True` together.\n  at {source.here(3)}\n  Fix: "
            "leave both away; all steps are fused here."
        )
