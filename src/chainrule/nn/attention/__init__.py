"""Attention: which implementations may run, causal biases, and attention with functions of scores.

There is one fused implementation, block by block in memory linear in the length; the names of
PyTorch's backends are accepted so that programs that choose one run.
"""

from __future__ import annotations

import contextlib
import enum
import importlib
from collections.abc import Iterator
from typing import Any

from ...autograd import refusal
from ...standins import add_to as _add_stand_ins
from ...tensor.functions.nn_attention import VIABLE

__all__ = ["WARN_FOR_UNFUSED_KERNELS", "SDPBackend", "sdpa_kernel"]

WARN_FOR_UNFUSED_KERNELS = False


def __getattr__(name: str) -> Any:
    if name in ("bias", "flex_attention"):
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class SDPBackend(enum.Enum):
    """An implementation of `scaled_dot_product_attention`; on a CPU, PyTorch has MATH and FLASH."""

    ERROR = -1
    MATH = 0
    FLASH_ATTENTION = 1
    EFFICIENT_ATTENTION = 2
    CUDNN_ATTENTION = 3
    OVERRIDEABLE = 4


@contextlib.contextmanager
def sdpa_kernel(
    backends: SDPBackend | list[SDPBackend], set_priority: bool = False
) -> Iterator[dict[str, object]]:
    """Inside, attention may use these backends only; it runs where MATH or FLASH is among them.

    >>> import chainrule as torch
    >>> q = torch.ones(1, 1, 2, 4)
    >>> with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
    ...     torch.nn.functional.scaled_dot_product_attention(q, q, q).shape
    torch.Size([1, 1, 2, 4])
    """
    chosen = [backends] if isinstance(backends, SDPBackend) else backends
    if not isinstance(chosen, list) or not all(isinstance(b, SDPBackend) for b in chosen):
        raise refusal.assertion(
            "Backend must be an instance of SDPBackend or a list of SDPBackend instances, got "
            f"{type(backends).__name__}"
        )
    before = set(VIABLE)
    VIABLE.clear()
    VIABLE.update(b.name for b in chosen)
    try:
        yield {}
    finally:
        VIABLE.clear()
        VIABLE.update(before)


_add_stand_ins(globals())
