"""The options of optimizers as data: named by `__init__`, checked by name with PyTorch's words."""

from __future__ import annotations

from typing import Any

import chainrule as cr

from ..autograd import refusal


def check_lr(lr: Any, phrase: str = "Invalid learning rate: {}", *, positive: bool = False) -> None:
    """A learning rate is a number, or a tensor of one element, and not negative."""
    if isinstance(lr, cr.Tensor) and lr.numel() != 1:
        raise refusal.value(
            f"Tensor lr must be 1-element, but its shape is {list(lr.shape)}",
            fix="use one group per learning rate.",
        )
    if not (lr > 0.0 if positive else lr >= 0.0):
        raise refusal.value(
            phrase.format(lr),
            fix=f"choose {'lr > 0' if positive else 'lr >= 0'}, for example 1e-3.",
        )


def check_not_negative(**values: Any) -> None:
    """Each value by its name in the message: `weight_decay=...`, `epsilon=...`."""
    for name, value in values.items():
        if not value >= 0.0:
            raise refusal.value(f"Invalid {name} value: {value}", fix="it must not be negative.")


def check_betas(betas: Any) -> None:
    """Two decay rates in [0, 1)."""
    for i in (0, 1):
        if not 0.0 <= betas[i] < 1.0:
            raise refusal.value(
                f"Invalid beta parameter at index {i}: {betas[i]}", fix="choose one in [0, 1)."
            )


def check_forms(fused: Any, differentiable: bool, foreach: Any) -> None:
    """Which of PyTorch's implementations exclude each other."""
    if fused and differentiable:
        raise refusal.runtime(
            "`fused` does not support `differentiable`",
            fix="leave `fused` away; it makes no difference here.",
        )
    if fused and foreach:
        raise refusal.runtime(
            "`fused` and `foreach` cannot be `True` together.",
            fix="leave both away; all steps are fused here.",
        )


def check_rho(rho: Any) -> None:
    """A decay rate in [0, 1]."""
    if not 0.0 <= rho <= 1.0:
        raise refusal.value(f"Invalid rho value: {rho}", fix="choose one in [0, 1].")


def check_etas(etas: Any) -> None:
    """A factor that shrinks and one that grows."""
    if not 0.0 < etas[0] < 1.0 < etas[1]:
        raise refusal.value(
            f"Invalid eta values: {etas[0]}, {etas[1]}", fix="they satisfy 0 < first < 1 < second."
        )


# The check of each option; a string is its name in the message of what must not be negative.
_CHECKS: dict[str, Any] = {
    "lr": check_lr, "betas": check_betas, "rho": check_rho, "etas": check_etas, "eps": "epsilon",
    "weight_decay": "weight_decay", "momentum": "momentum", "momentum_decay": "momentum_decay",
    "lr_decay": "lr_decay", "initial_accumulator_value": "initial_accumulator_value",
}  # fmt: skip


def named(given: dict[str, Any]) -> dict[str, Any]:
    """The options of a parameter group, from the `locals()` of an `__init__` that takes them."""
    return {n: v for n, v in given.items() if n not in ("self", "params", "__class__")}


def options(given: dict[str, Any]) -> dict[str, Any]:
    """The same, each checked."""
    found = named(given)
    for name, value in found.items():
        check = _CHECKS.get(name)
        if isinstance(check, str):
            check_not_negative(**{check: value})
        elif check is not None:
            check(value)
    if "fused" in found:
        check_forms(found["fused"], found["differentiable"], found["foreach"])
    return found
