"""Ops that arrange, choose and place elements as operators of PyTorch: see `lowering`."""

from __future__ import annotations

from typing import Any

from ..ops.dtypes import from_numpy_dtype
from .calls import aten
from .lowering import LOWERED, lowered, places_by_dim

_LAST = 9223372036854775807  # where a slice ends that goes to the end


# ---- shapes --------------------------------------------------------------------------------------


@lowered("view", "reshape")
def view(x: Any, *, shape: Any) -> Any:
    return aten("view.default", x, list(shape))


@lowered()
def unsafe_view(x: Any, *, shape: Any) -> Any:
    return aten("_unsafe_view.default", x, list(shape))


LOWERED["unsqueeze"] = lambda x, *, axis: aten("unsqueeze.default", x, axis)
LOWERED["squeeze_all"] = lambda x, *, axis: aten("squeeze.default", x)
LOWERED["squeeze_axis"] = lambda x, *, axis: (
    aten("squeeze.dim", x, *axis) if len(axis) == 1 else aten("squeeze.dims", x, list(axis))
)
LOWERED["squeeze_axes"] = lambda x, *, axis: aten("squeeze.dims", x, list(axis))
LOWERED["transpose"] = lambda x, *, perm: aten("permute.default", x, list(perm))
LOWERED["swap_axes"] = lambda x, *, axis0, axis1: aten("transpose.int", x, axis0, axis1)
LOWERED["broadcast_to"] = lambda x, *, shape: aten("expand.default", x, list(shape))
LOWERED["select"] = lambda x, *, axis, index: aten("select.int", x, axis, index)
LOWERED["unbind"] = lambda x, *, axis: aten("unbind.int", x, axis)
LOWERED["repeat"] = lambda x, *, repeats: aten("repeat.default", x, list(repeats))
LOWERED["flip"] = lambda x, *, axis: aten("flip.default", x, list(axis))
LOWERED["roll"] = lambda x, *, shifts, axis: aten("roll.default", x, list(shifts), list(axis))
LOWERED["rot90"] = lambda x, *, turns, axis: aten("rot90.default", x, turns, list(axis))
LOWERED["tril"] = lambda x, *, k: aten("tril.default", x, k)
LOWERED["triu"] = lambda x, *, k: aten("triu.default", x, k)
LOWERED["cat"] = lambda *xs, axis: aten("cat.default", list(xs), axis)
LOWERED["stack"] = lambda *xs, axis: aten("stack.default", list(xs), axis)
LOWERED["block_diag"] = lambda *xs: aten("block_diag.default", list(xs))
LOWERED["diag_embed"] = lambda x, *, offset, axis1, axis2: aten(
    "diag_embed.default", x, offset, axis1, axis2
)
LOWERED["diagonal"] = lambda x, *, offset, axis1, axis2: aten(
    "diagonal.default", x, offset, axis1, axis2
)
LOWERED["unfold"] = lambda x, *, axis, size, step: aten("unfold.default", x, axis, size, step)
LOWERED["view_dtype"] = lambda x, *, dtype: aten("view.dtype", x, from_numpy_dtype(dtype))


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
def split_with_sizes(x: Any, *, sizes: Any, axis: int) -> Any:
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


LOWERED["gather"] = lambda x, index, *, axis: aten("gather.default", x, axis, index)
LOWERED["scatter"] = lambda x, index, src, *, axis: aten("scatter.src", x, axis, index, src)
LOWERED["scatter_add"] = lambda x, index, src, *, axis: aten(
    "scatter_add.default", x, axis, index, src
)
LOWERED["index_select"] = lambda x, index, *, axis: aten("index_select.default", x, axis, index)
LOWERED["index_add"] = lambda x, index, src, *, axis: aten("index_add.default", x, axis, index, src)
LOWERED["index_copy"] = lambda x, index, src, *, axis: aten(
    "index_copy.default", x, axis, index, src
)
LOWERED["masked_get"] = lambda x, hit: aten("index.Tensor", x, [hit])
LOWERED["searchsorted"] = lambda edges, values, *, right, dtype: aten(
    "searchsorted.Tensor", edges, values, out_int32=dtype == "int32", right=right
)


@lowered()
def scatter_sum(g: Any, index: Any, *, axis: int, shape: Any) -> Any:
    blank = aten("new_zeros.default", g, list(shape))
    return aten("scatter_add.default", blank, axis, index, g)


@lowered()
def index_axis(x: Any, index: Any, *, axis: int) -> Any:
    return aten("index.Tensor", x, [None] * axis + [index])


@lowered()
def index_axis_sum(g: Any, index: Any, *, axis: int, shape: Any) -> Any:
    blank = aten("new_zeros.default", g, list(shape))
    return aten("index_put.default", blank, [None] * axis + [index], g, True)


@lowered()
def index_get(x: Any, *indices: Any, dims: Any) -> Any:
    return aten("index.Tensor", x, places_by_dim(x, indices, dims))


@lowered()
def index_sum(g: Any, *indices: Any, dims: Any, shape: Any) -> Any:
    blank = aten("new_zeros.default", g, list(shape))
    return aten("index_put.default", blank, places_by_dim(g, indices, dims), g, True)


@lowered()
def index_put(x: Any, v: Any, *indices: Any, dims: Any, accumulate: bool) -> Any:
    return aten("index_put.default", x, places_by_dim(x, indices, dims), v, accumulate)
