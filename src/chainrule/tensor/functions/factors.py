"""Products and quotients with numbers that are no operands of the user's.

Backward gives up a number the user multiplied with: a second pass is an error, as in PyTorch.
The factors of `sub(alpha=)`, `deg2rad` and the like are PyTorch's own: a second pass is fine.
"""

from __future__ import annotations

from typing import Any

from ...autograd.record import is_number
from .common import P


def times(x: Any, factor: Any) -> Any:
    """x * factor."""
    return _kept(P.mul(x, factor))


def over(x: Any, divisor: Any) -> Any:
    """x / divisor."""
    return _kept(P.div(x, divisor))


def _kept(made: Any) -> Any:
    node = made._node
    if node is not None and isinstance(node.s, tuple) and all(map(_no_tensor, node.s)):
        node.s = [*node.s]  # nothing that backward frees
    return made


def _no_tensor(value: Any) -> bool:
    return value is None or is_number(value)
