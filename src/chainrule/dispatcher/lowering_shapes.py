"""Ops that arrange, choose and place elements as operators of PyTorch: see `lowering`."""

from __future__ import annotations

from typing import Any

from .calls import aten
from .lowering import LOWERED, lowered

_LAST = 9223372036854775807  # where a slice ends that goes to the end


# ---- shapes --------------------------------------------------------------------------------------


LOWERED["squeeze_axis"] = lambda x, *, axis: (
    aten("squeeze.dim", x, *axis) if len(axis) == 1 else aten("squeeze.dims", x, list(axis))
)


@lowered()
def slice_axis(x: Any, *, axis: int, start: Any, stop: Any, step: Any) -> Any:
    start, stop = 0 if start is None else start, _LAST if stop is None else stop
    return aten("slice.Tensor", x, axis, start, stop, 1 if step is None else step)


@lowered()
def split(x: Any, *, sizes: Any, axis: int) -> Any:
    if sizes and all(n == sizes[0] for n in sizes[:-1]) and sizes[-1] <= sizes[0]:
        return aten("split.Tensor", x, sizes[0], axis)
    return aten("split_with_sizes.default", x, list(sizes), axis)


@lowered()
def as_strided(x: Any, *, inner: Any, outer: Any) -> Any:
    offset = None if outer[2] == inner[2] else outer[2]
    return aten("as_strided.default", x, list(outer[0]), list(outer[1]), offset)


@lowered()
def constant_pad(x: Any, *, pads: Any, value: Any) -> Any:
    flat = [n for pair in reversed(pads) for n in pair]
    while len(flat) > 2 and flat[-2:] == [0, 0]:
        flat = flat[:-2]
    return aten("constant_pad_nd.default", x, flat, value)


# ---- places --------------------------------------------------------------------------------------
