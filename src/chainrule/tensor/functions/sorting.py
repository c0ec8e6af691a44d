"""Sorting, searching, distinct values, counting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.expected import expect_within
from ...autograd.value import bottom, make
from ...ops import dtypes
from .. import return_types
from ..api import public
from ..interop import readable_array
from ..legacy import WORDS
from ..refused_types import refuse
from .common import P, TensorBase, axis_of
from .indexing_functions import check_index
from .reductions import (
    as_type,
    ordered_along,
    ordinary,
    pair_along,
    refuse_complex,
    refuse_empty,
)

if TYPE_CHECKING:
    from ..annotations import Ints, Operand, Tensor

# ---- order ---------------------------------------------------------------------------------------


@public()
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """(values in order, where each was) along `dim`; equal values keep their order."""
    if isinstance(dim, bool) or (isinstance(descending, int) and not isinstance(descending, bool)):
        # sort(stable, dim, descending) of the overload with a stable argument
        dim, descending = descending, stable
    if not ordinary(input):
        refuse_complex(input, "sort")
    pair = ordered_along(P.argsort, P.sort_at, input, dim, descending=bool(descending))
    return return_types.sort(pair)


@public()
def argsort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    """The indices that sort along `dim`."""
    if not ordinary(input):
        refuse_complex(input, "argsort")
    at = axis_of(dim, input.ndim)
    line = input if input.ndim else input.reshape(1)
    found = P.argsort(line, axis=at, descending=bool(descending))
    return found if input.ndim else P.unsafe_view(found, shape=())


@public()
def msort(input: Tensor) -> Tensor:
    """The values in order along the first dimension."""
    return ordered_along(P.argsort, P.sort_at, input, 0, descending=False)[0]


@public()
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """(the k largest values in order, where each was) along `dim`."""
    if not ordinary(input):
        refuse_complex(input, "topk")
    at = axis_of(dim, input.ndim)
    size = input.shape[at] if input.ndim else 1
    if not 0 <= k <= size:
        raise refusal.runtime(
            f"selected index k out of range: k={k} of {size} elements along dim {dim}", "topk"
        )
    pair = ordered_along(P.top_places, P.topk_at, input, dim, k=int(k), largest=bool(largest))
    return return_types.topk(pair)


@public()
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """(k-th smallest value, where it was) along `dim`, counted from 1."""
    if not ordinary(input):
        refuse_complex(input, "kthvalue")
        refuse_empty(input, "kthvalue", dim)
    at = axis_of(dim, input.ndim)
    size = input.shape[at] if input.ndim else 1
    if not 1 <= k <= size:
        raise refusal.runtime(
            f"kthvalue(): selected number k out of range for dimension {at}: k={k} of {size}"
        )
    pair = pair_along(P.kth_place, P.kthvalue_at, input, dim, keepdim, k=int(k))
    return return_types.kthvalue(pair)


# ---- searching -----------------------------------------------------------------------------------


@public(method=False)
def searchsorted(
    sorted_sequence: Tensor, input: Tensor, *, out_int32: bool = False, right: bool = False,
    side: str | None = None, sorter: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Where each value would be inserted into the sorted last dimension of sorted_sequence."""
    if side not in (None, "left", "right") or (side == "left" and right):
        raise refusal.runtime(
            "torch.searchsorted(): side can only be 'left' or 'right' and must agree with right=, "
            f"got side={side!r} and right={right}"
        )
    values = input if isinstance(input, TensorBase) else _number_like(input, sorted_sequence)
    edges = sorted_sequence
    common = dtypes.promote_types(edges.dtype, values.dtype)
    if common is dtypes.bool_ or common.is_complex:
        refuse("searchsorted_out", edges if edges.dtype is common else values)
    if sorter is not None:
        edges = _in_order(edges, sorter)
    if edges.ndim > 1 and tuple(edges.shape[:-1]) != tuple(values.shape[:-1]):  # type: ignore[attr-defined]
        raise refusal.runtime(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            f"boundaries tensor {list(edges.shape)} and input value tensor {list(values.shape)}"
        )
    kind = np.dtype("int32" if out_int32 else "int64")
    return P.searchsorted(edges, values, right=right or side == "right", dtype=kind)


def _in_order(edges: Any, sorter: Any) -> Any:
    """The edges in the order that `sorter` gives them."""
    if sorter.dtype is not dtypes.int64 or sorter.shape != edges.shape:
        raise refusal.runtime(
            "torch.searchsorted(): boundary and sorter must have the same size, and sorter must be "
            f"a tensor of long dtype, but got {list(edges.shape)} and {list(sorter.shape)} of "
            f"{sorter.dtype!r}",
            fix="sorter=torch.argsort(sorted_sequence).",
        )
    check_index(sorter, edges.shape[-1], edges.ndim - 1, "searchsorted(sorter=)")
    return P.gather(edges, sorter, axis=edges.ndim - 1)


def _number_like(value: Any, like: Any) -> Any:
    if isinstance(value, complex):
        return make(np.asarray(value, np.complex128))
    if isinstance(value, int):  # which the type of the others need not hold
        return make(np.asarray(value, np.int64 if like.dtype.category < 2 else like.dtype.np))
    return make(np.asarray(value, like.dtype.np if like.dtype.category >= 2 else np.float64))


@public(method=False)
def bucketize(
    input: Tensor, boundaries: Tensor, *, out_int32: bool = False, right: bool = False
) -> Tensor:
    """Which of the intervals between `boundaries` each value falls into."""
    if boundaries.ndim != 1:
        raise refusal.runtime(
            f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})", "bucketize"
        )
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@public(method=False)
def isin(
    elements: Operand, test_elements: Operand, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Whether each element is one of `test_elements`."""
    for given in (elements, test_elements):
        kind = given.dtype if isinstance(given, TensorBase) else dtypes.scalar_dtype(given)
        if kind is dtypes.bool_ or kind.is_complex:
            raise refusal.runtime(
                f"Unsupported input type encountered for isin(): {WORDS[kind.name]}",
                fix="compare integers or floats, e.g. of x.int() or torch.view_as_real(x).",
            )
    if not isinstance(elements, TensorBase):
        elements = _number_like(elements, test_elements)
    if not isinstance(test_elements, TensorBase):
        test_elements = _number_like(test_elements, elements)
    return P.isin(elements, test_elements, invert=invert)


@public()
def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The coordinates of the nonzero elements: one row each, or a tuple with one tensor per dim."""
    if not as_tuple:
        return P.nonzero(input.detach())
    x = input if input.ndim else input.reshape(1)
    return P.nonzero_parts(x.detach())


@public()
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """The coordinates of the first `size` nonzero elements; rows of fill_value where there are
    fewer."""
    if size < 0:
        raise refusal.runtime(f"nonzero_static: 'size' must be an non-negative integer, got {size}")
    found = P.nonzero(input.detach())[:size]
    rest = found.new_full((size - found.shape[0], input.ndim), fill_value)
    return P.cat(found, rest, axis=0)


@public(out=False)
def argwhere(input: Tensor) -> Tensor:
    """The coordinates of the nonzero elements, one row each."""
    return P.nonzero(input.detach())


# ---- distinct values -----------------------------------------------------------------------------


@public(out=False)
def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: Ints | None = None,
) -> Any:  # fmt: skip
    """The distinct values (or slices along `dim`) in order; on request where each went, counts."""
    axis = None if dim is None else axis_of(dim, input.ndim)
    _check_slices(input, axis)
    values, inverse, counts = P.unique(input.detach(), axis=axis)
    name = "_unique2" if dim is None else "unique_dim"
    values = _without_derivative(name, values, input)
    return _parts(values, inverse, counts, return_inverse, return_counts)


@public(out=False)
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: Ints | None = None,
) -> Any:
    """The values (or slices along `dim`) without immediate repetitions."""
    axis = None if dim is None else axis_of(dim, input.ndim)
    _check_slices(input, axis)
    values, inverse, counts = P.unique_consecutive(input.detach(), axis=axis)
    values = _without_derivative("unique_consecutive", values, input)
    return _parts(values, inverse, counts, return_inverse, return_counts)


def _check_slices(x: Any, axis: int | None) -> None:
    """Raise where slices have no elements to be told apart by."""
    if axis is not None and any(n == 0 for d, n in enumerate(x.shape) if d != axis):
        raise refusal.runtime(
            "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied: "
            f"slices along dimension {axis} of {list(x.shape)} have no elements"
        )


def _without_derivative(name: str, value: Any, *sources: Any) -> Any:
    """A value that stops the gradients which reach it, if it was made of what wants any."""
    for source in sources:
        if isinstance(source, TensorBase) and (source._rg or source._level is not None):
            if value.dtype.category >= dtypes.FLOAT:
                value = P.computed_from(value, source, name=name)
    return value


def _parts(values: Any, inverse: Any, counts: Any, want_inverse: bool, want_counts: bool) -> Any:
    parts = (values, *((inverse,) if want_inverse else ()), *((counts,) if want_counts else ()))
    return parts if len(parts) > 1 else values


# ---- counting ------------------------------------------------------------------------------------


@public(out=False)
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each non-negative integer occurs, or the total of its weights."""
    if input.ndim != 1 or input.dtype.category != dtypes.INT:
        raise refusal.runtime(
            f"bincount only supports 1-d non-negative integral inputs: got {input.dtype!r} of "
            f"shape {list(input.shape)}"
        )
    if minlength < 0:
        raise refusal.runtime(f"minlength should be >= 0, got {minlength}")
    values = bottom(input)
    if values._level is None and values._a.size and values._a.min() < 0:
        raise refusal.runtime(
            "bincount only supports 1-d non-negative integral inputs: the smallest value is "
            f"{values._a.min()}"
        )
    if weights is None:
        return P.bincount(input, minlength=int(minlength))
    if tuple(weights.shape) != tuple(input.shape):
        raise refusal.runtime(
            f"weights should be 1-d and have the same length as input: {list(weights.shape)} and "
            f"{list(input.shape)}",
            "bincount",
        )
    total = P.bincount_weighted(input, weights, minlength=int(minlength))
    return as_type(total, weights.dtype) if weights.dtype is dtypes.float32 else total


@public()
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """How many elements fall into each of `bins` equal intervals from min to max."""
    if bins <= 0:
        raise refusal.runtime(f"bins must be > 0, but got {bins}", "histc")
    low, high = _range_of(input, float(min), float(max), "histc")
    return P.histc(input, bins=int(bins), low=low, high=high)


def _range_of(
    x: Any, low: float, high: float, name: str, around: float = 1.0
) -> tuple[float, float]:
    """The range of a histogram: as given, or the data's own when both ends are equal.

    One value alone gets `around` on both sides.
    """
    if low == high and x.numel():
        low, high = float(x.detach().amin()), float(x.detach().amax())
    if low == high:
        low, high = low - around, high + around
    if not (np.isfinite(low) and np.isfinite(high)):
        raise refusal.runtime(f"range of [{low}, {high}] is not finite", f"{name}")
    if low > high:
        raise refusal.runtime(f"{name}: max must be larger than min, got min={low} and max={high}")
    return low, high


@public()
def histogram(
    input: Tensor, bins: int | Sequence[float] | Tensor = 100, *,
    range: Sequence[float] | None = None, weight: Tensor | None = None, density: bool = False,
) -> Any:  # fmt: skip
    """(counts or weights per bin, bin edges); the last bin contains its right edge."""
    rows = input.detach().reshape(-1, 1)
    edges = _edges(input, [bins], range, "histogram")
    hist = _histogram(rows, edges, weight, density, input)
    hist = _without_derivative("histogram", hist, input, weight, bins)
    line = P.clone(edges[0]) if isinstance(bins, TensorBase) else edges[0]
    return return_types.histogram((hist, line))


@public(out=False, method=False)
def histogramdd(
    input: Tensor, bins: Ints | Tensor | Sequence[Tensor], range: Sequence[float] | None = None,
    weight: Tensor | None = None, density: bool = False,
) -> Any:  # fmt: skip
    """(counts or weights per cell, bin edges per dimension) of points in the last dimension."""
    count = input.shape[-1]
    rows = input.detach().reshape(-1, count)
    each: list[Any] = [bins] * count if isinstance(bins, int | TensorBase) else list(bins)
    if len(each) != count:
        raise refusal.runtime(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input: "
            f"{len(each)} and {count}"
        )
    edges = _edges(rows, each, range, "histogramdd")
    hist = _histogram(rows, edges, weight, density, input)
    hist = _without_derivative("histogramdd", hist, input, weight, *each)
    found: Any = (hist, tuple(edges))
    return return_types.histogramdd(found)


def _edges(x: Any, bins: list[Any], given: Any, name: str) -> list[Any]:
    """The bin edges of each dimension, as tensors."""
    out = []
    for d, b in enumerate(bins):
        if isinstance(b, TensorBase):
            if b.dtype is not x.dtype:  # type: ignore[attr-defined]
                raise refusal.runtime(
                    "torch.histogramdd: input tensor and bins tensors should have the same dtype, "
                    f"but got {x.dtype!r} and, for dimension {d}, {b.dtype!r}",
                    f"{name}",
                    fix="bins.to(input.dtype).",
                )
            out.append(b)
            continue
        column = x.reshape(-1) if len(bins) == 1 else P.slice_view(x, index=(slice(None), d))
        if given is None:
            low, high = (0.0, 0.0) if column.numel() else (0.0, 1.0)
        else:
            low, high = float(given[2 * d]), float(given[2 * d + 1])
            if low == high:
                low, high = low - 0.5, high + 0.5
        low, high = _range_of(column, low, high, name, 0.5)
        out.append(make(np.linspace(low, high, int(b) + 1).astype(x.dtype.np)))
    return out


def _histogram(rows: Any, edges: list[Any], weight: Any, density: bool, x: Any) -> Any:
    if weight is not None and weight.dtype is not x.dtype:
        raise refusal.runtime(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
            f"should have the same dtype, but got {x.dtype!r} and {weight.dtype!r}",
            fix="weight.to(input.dtype).",
        )
    weights = () if weight is None else (weight.detach().reshape(-1),)
    hist = P.histogram_cells(rows, *edges, *weights, weighted=weight is not None)
    hist = as_type(hist, x.dtype)
    if not density:
        return hist
    for d, e in enumerate(edges):
        width = P.slice_view(e, index=(slice(1, None),)) - P.slice_view(e, index=(slice(-1),))
        hist = hist / width.reshape([-1 if k == d else 1 for k in range(len(edges))])
    return hist / P.reduce_sum(
        P.histogram_cells(rows, *edges, *weights, weighted=weight is not None),
        axis=tuple(range(len(edges))), keepdims=False,
    )  # fmt: skip


@public(namespace="nn.functional")
def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """A last dimension of length num_classes with a 1 at each index."""
    if tensor.dtype is not dtypes.int64:
        raise refusal.runtime(
            f"one_hot is only applicable to index tensor of type LongTensor, got {tensor.dtype!r}",
            fix="x.long().",
        )
    values = bottom(tensor)
    known = values._level is None and values._a.__class__ is np.ndarray
    if known and values._a.size:
        expect_within(values, 0, num_classes - 1)
        low, high = int(values._a.min()), int(values._a.max())
        if low < 0:
            raise refusal.runtime(f"Class values must be non-negative, got {low}", "one_hot")
        if num_classes == -1:
            num_classes = int(readable_array(tensor, "one_hot without num_classes").max()) + 1
        elif high >= num_classes:
            raise refusal.runtime(
                f"Class values must be smaller than num_classes: {high} is not smaller than "
                f"{num_classes}",
                "one_hot",
            )
    if num_classes <= 0:
        raise refusal.runtime(
            "Can not infer total number of classes from empty tensor or under a transform: "
            f"num_classes={num_classes}",
            "one_hot",
            fix="pass num_classes.",
        )
    line: Any = make(np.arange(num_classes))
    if tensor.device.type == "meta":
        line = line.to("meta")
    return as_type(P.eq(tensor.unsqueeze(-1), line), dtypes.int64).contiguous()
