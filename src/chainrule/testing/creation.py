"""Random tensors of any type, for tests."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from ..autograd.accidents import explain_module

_SMALLEST, _LARGEST = -9, 9


def make_tensor(
    *shape: Any,
    dtype: Any,
    device: Any = "cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: Any = None,
) -> torch.Tensor:
    """A tensor of random values from [low, high); whole numbers for integer types.

    >>> make_tensor(2, 3, dtype=torch.float32).shape
    torch.Size([2, 3])
    """
    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if noncontiguous and memory_format is not None:
        raise ValueError("The parameters `noncontiguous` and `memory_format` are incompatible")
    least, most = _bounds(dtype, low, high)
    if noncontiguous and math.prod(sizes) > 1:  # every other element of twice as many
        made = _filled((*sizes[:-1], 2 * sizes[-1]), dtype, device, least, most)[..., 1::2]
    else:
        made = _filled(sizes, dtype, device, least, most)
    if memory_format is not None:
        made = made.clone(memory_format=memory_format)
    if exclude_zero:
        made[made == 0] = _next_to_zero(dtype)
    return made.requires_grad_() if requires_grad else made


def _bounds(dtype: Any, low: float | None, high: float | None) -> tuple[float, float]:
    if dtype is torch.bool:
        default: tuple[float, float] = (0, 2)
    elif dtype.is_floating_point or dtype.is_complex:
        default = (_SMALLEST, _LARGEST)
    else:
        default = (_SMALLEST if dtype.is_signed else 0, _LARGEST + 1)
    least = default[0] if low is None else low
    most = default[1] if high is None else high
    if least != least or most != most:
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if not (dtype.is_floating_point or dtype.is_complex):
        least, most = int(-(-least // 1)), int(-(-most // 1))
    if least >= most:
        raise ValueError(f"`low` must be less than `high`, but got {least} >= {most}")
    return least, most


def _filled(sizes: Any, dtype: Any, device: Any, low: float, high: float) -> Any:
    if dtype.is_complex or dtype.is_floating_point:
        made = torch.empty(sizes, dtype=dtype, device=device)
        (torch.view_as_real(made) if dtype.is_complex else made).uniform_(low, high)
        return made
    return torch.randint(int(low), int(high), sizes, dtype=dtype, device=device)


def _next_to_zero(dtype: Any) -> float:
    if dtype.is_floating_point or dtype.is_complex:
        return torch.finfo(dtype).tiny
    return 1


explain_module(globals())
