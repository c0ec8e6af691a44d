"""Control flow as a function call: torch.cond."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd import refusal
from ..autograd.value import TensorBase


def cond(
    pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Any = ()
) -> Any:
    """true_fn(*operands) if `pred`, a bool or a tensor of one element, else false_fn(*operands).

    >>> import chainrule as torch
    >>> torch.cond(torch.tensor(True), lambda x: x + 1, lambda x: x - 1, (torch.ones(2),))
    tensor([2., 2.])
    """
    if not isinstance(pred, bool) and not (isinstance(pred, TensorBase) and pred.numel() == 1):  # type: ignore[attr-defined]
        raise refusal.runtime(f"Expected pred to be bool or tensor, but got {pred!r}", "cond")
    if not callable(true_fn) or not callable(false_fn):
        raise refusal.runtime("Expect both branches to be callable.", "cond")
    if not isinstance(operands, tuple | list):
        raise refusal.runtime(
            "Expect operands to be a tuple of possibly nested dict/list/tuple, but got "
            f"{type(operands).__name__}",
            "cond",
        )
    return true_fn(*operands) if pred else false_fn(*operands)
