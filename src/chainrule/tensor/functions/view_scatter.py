"""Copies with a part replaced, where the part is what a view function selects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.inplace import chain_of
from ...autograd.strided_views import layout_of
from ...autograd.value import make
from ...ops.strided import strided_numbers
from ..api import API, public
from .common import P, axis_of

if TYPE_CHECKING:
    from ..annotations import Tensor


def _as_part(name: str, input: Any, src: Any, part: Any) -> Any:
    """src in the type of the part of input that it is to replace, whose shape it must have."""
    if tuple(src.shape) != tuple(part.shape):
        raise refusal.runtime(
            "expected src to have a size equal to the slice of self. src size = "
            f"{list(src.shape)}, slice size = {list(part.shape)}",
            f"{name}",
        )
    return src if src.dtype is input.dtype else P.cast(src, dtype=input.dtype.np)


def _with_part(name: str, input: Any, src: Any, part: Any) -> Any:
    """input with src where `part`, a view of it, looks."""
    return P.write_view(input, _as_part(name, input, src, part), chain=chain_of(part._view))


@public()
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """input with src in place of input.select(dim, index)."""
    lead = (slice(None),) * axis_of(dim, input.ndim)
    return _with_part("select_scatter", input, src, input.detach()[(*lead, index)])


@public()
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """input with src in place of input[start:end:step] along `dim`."""
    lead = (slice(None),) * axis_of(dim, input.ndim)
    part = input.detach()[(*lead, slice(start, end, step))]
    return _with_part("slice_scatter", input, src, part)


@public()
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """input with src in place of input.diagonal(offset, dim1, dim2)."""
    part = API["diagonal"].function(input.detach(), offset, dim1, dim2)
    return _with_part("diagonal_scatter", input, src, part)


@public()
def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """input with src in place of input.as_strided(size, stride, storage_offset)."""
    part = API["as_strided"].function(input.detach(), size, stride, storage_offset)
    if input.is_contiguous():
        return _with_part("as_strided_scatter", input, src, part)
    numbers = strided_numbers(layout_of(input), layout_of(part)).reshape(-1)
    shown = np.flatnonzero(numbers < input.numel())  # others are places between input's elements
    values = _as_part("as_strided_scatter", input, src, part).reshape(-1)[make(shown)]
    whole = input.reshape(-1).index_put((make(numbers[shown]),), values)
    return whole.reshape(input.shape)
