"""functionalize: PyTorch's transform that takes writes in place out of a function."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from ..autograd import refusal
from ..autograd.accidents import in_words


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """The function, as it is: compiled and transformed functions may write in place here, so there
    is nothing to take out. What it computes, and what it writes to its arguments, is the same.

    >>> import chainrule as torch
    >>> torch.func.functionalize(lambda x: x.clone().add_(1))(torch.zeros(2))
    tensor([1., 1.])
    """
    if remove not in ("mutations", "mutations_and_views"):
        raise RuntimeError(
            "functionalize(f, remove='mutations'): received invalid argument for remove="
            f"{remove}. Valid options are: remove='mutations', remove='mutations_and_views'"
        )

    if not callable(func):
        raise refusal.wrong_type(f"functionalize takes a function, not {in_words(func)}")

    @wraps(func)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return wrapped
