"""`torch._prims_common`: questions about layouts that libraries of PyTorch ask there."""

from __future__ import annotations

from typing import Any

import chainrule as torch


def suggest_memory_format(x: Any) -> Any:
    """The order of axes in which a tensor lies in memory: channels last, or contiguous.

    >>> import chainrule as torch
    >>> x = torch.ones(2, 3, 4, 5)
    >>> suggest_memory_format(x), suggest_memory_format(x.to(memory_format=torch.channels_last))
    (torch.contiguous_format, torch.channels_last)
    """
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    last = formats.get(x.dim())
    if last is None or x.is_contiguous() or not x.is_contiguous(memory_format=last):
        return torch.contiguous_format
    return last


def make_contiguous_strides_for(shape: Any, row_major: bool = True) -> tuple[int, ...]:
    """The strides of a contiguous tensor of a shape; of each matrix by columns on demand.

    >>> make_contiguous_strides_for((2, 3, 4)), make_contiguous_strides_for((2, 3, 4), False)
    ((12, 4, 1), (12, 1, 3))
    """
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    strides.reverse()
    if not row_major and len(strides) > 1:
        strides[-2:] = 1, max(shape[-2], 1)
    return tuple(strides)


def is_contiguous_or_false(x: Any, /, *, memory_format: Any = torch.contiguous_format) -> bool:
    """Whether a tensor is contiguous."""
    return x.is_contiguous(memory_format=memory_format)


__all__ = ["is_contiguous_or_false", "make_contiguous_strides_for", "suggest_memory_format"]
