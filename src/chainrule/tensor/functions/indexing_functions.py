"""Functions that read or write at indices: gather, scatter, index_*, masked_*, take, put."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal, source
from ...autograd.expected import expect_within
from ...autograd.value import PLAIN, bottom, make
from ...ops import dtypes
from ..api import public
from ..scalars import converted, number_for
from .arranging import joint_shape
from .common import P, TensorBase, axis_of
from .half_types import fitting, half_type, rounded, single
from .nn_common import named
from .reductions import as_type

if TYPE_CHECKING:
    from ..annotations import Ints, Number, Operand, Tensor

INT64, UINT64 = np.dtype(np.int64), np.dtype(np.uint64)


def check_index(index: Any, size: int, axis: int, name: str, negative: bool = False) -> None:
    """Raise when a value of an index tensor is outside of 0..size-1 (or -size..size-1)."""
    index = bottom(index)
    values = index._a
    if index._level is not None or values.__class__ is not np.ndarray or not values.size:
        return
    expect_within(index, -size if negative else 0, size - 1)
    if not negative and np.maximum.reduce(values.view(UINT64), None) < size:
        return
    low, high = int(values.min()), int(values.max())
    if low >= (-size if negative else 0) and high < size:
        return
    bad = high if high >= size else low
    raise refusal.of_kind(
        IndexError if name.startswith("index_") or negative else RuntimeError,
        f"index {bad} is out of bounds for dimension {axis} with size {size}",
        f"index out of range in {name}",
    )


def int_index(index: Any, name: str) -> Any:
    if index.__class__ in PLAIN and index._a.dtype is INT64:
        return index
    if index.dtype not in (dtypes.int64, dtypes.int32):
        if not index.numel():
            return as_type(index, dtypes.int64)
        raise refusal.runtime(
            f"{name}(): Expected dtype int32/int64 for index, got {index.dtype!r}",
            fix="index.long().",
        )
    return as_type(index, dtypes.int64)


def same_type(name: str, x: Any, src: Any) -> None:
    if src.dtype is not x.dtype:
        what = f"{name}(): Expected self.dtype to be equal to src.dtype, but got {x.dtype!r} and "
        if name == "index_copy":
            what = f"{name}_(): self and source expected to have the same dtype, but got (self) "
            what += f"{x.dtype!r} and (source) "
        raise refusal.runtime(f"{what}{src.dtype!r}", fix=f"src.to({x.dtype!r}).")


# ---- gather and scatter --------------------------------------------------------------------------


def usual(x: Any, index: Any, axis: int) -> bool:
    """Whether x and index are plain tensors that gather and scatter take as they are."""
    if x.__class__ not in PLAIN or index.__class__ not in PLAIN:
        return False
    large, small = x._a.shape, index._a.shape
    if index._a.dtype is not INT64 or len(large) != len(small) or not index._a.size:
        return False
    for d, n in enumerate(small):
        if n > large[d] and d != axis:
            return False
    # Negative numbers are huge when read as unsigned: one pass checks both ends.
    if not small or np.maximum.reduce(_once(index._a).view(UINT64), None) >= large[axis]:
        return False
    expect_within(index, 0, large[axis] - 1)
    return True


def _once(numbers: np.ndarray) -> np.ndarray:
    """An expanded array without its repetitions."""
    if numbers.flags.c_contiguous or 0 not in numbers.strides:
        return numbers
    return numbers[tuple([slice(None if step else 1) for step in numbers.strides])]


@public()
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """out[i][j] = input[index[i][j]][j] for dim 0, and likewise for other dimensions.

    >>> import chainrule as torch
    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0, 0], [1, 0]]))
    tensor([[1, 1],
            [4, 3]])
    """
    axis = axis_of(dim, input.ndim)
    if usual(input, index, axis):
        return P.gather(input, index, axis=axis)
    index = int_index(index, "gather")
    if not index.numel():
        return P.index_get(input.reshape(-1), index, dims=(0,))  # nothing to check either
    _check_ranks("gather", input, index, axis)
    check_index(index, input.shape[axis] if input.ndim else 1, axis, "gather")
    if input.ndim and index.ndim:
        return P.gather(input, index, axis=axis)
    x = input if input.ndim else input.reshape(1)
    found = P.gather(x, index.reshape(-1), axis=0)
    return P.unsafe_view(found, shape=tuple(index.shape))


def _check_ranks(name: str, x: Any, index: Any, axis: int, other: str = "input") -> None:
    """Index and tensor need equal ranks, and the index must fit but along the axis."""
    if (index.ndim or 1) != (x.ndim or 1):
        if index.numel() == 0:
            return
        raise refusal.runtime(
            "Index tensor must have the same number of dimensions as "
            f"{'self' if other == 'input' else other} tensor: {index.ndim} and {x.ndim}",
            f"{name}",
        )
    for d in range(min(index.ndim, x.ndim)):
        if d != axis and index.shape[d] > x.shape[d]:
            raise refusal.runtime(
                f"Size does not match at dimension {d} expected index {list(index.shape)} to be "
                f"no larger than {'self' if other == 'input' else other} {list(x.shape)} apart "
                f"from dimension {axis}",
                f"{name}",
            )


@public()
def take_along_dim(input: Tensor, indices: Tensor, dim: Ints | None = None) -> Tensor:
    """gather with broadcasting; without `dim` from the flattened tensor."""
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    if input.ndim != indices.ndim:
        raise refusal.runtime(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    axis = axis_of(dim, input.ndim)
    shape = [max(a, b) if 0 not in (a, b) else 0
             for a, b in zip(input.shape, indices.shape, strict=True)]  # fmt: skip
    wide, narrow = list(shape), list(shape)
    wide[axis], narrow[axis] = input.shape[axis], indices.shape[axis]
    check_index(indices, input.shape[axis], axis, "take_along_dim", negative=True)
    index = P.broadcast_to(as_type(indices, dtypes.int64), shape=tuple(narrow))
    return P.gather(P.broadcast_to(input, shape=tuple(wide)), index, axis=axis)


def _scatter_operands(name: str, x: Any, dim: int, index: Any, src: Any) -> tuple[int, Any, Any]:
    """(axis, index, src cut to the index's shape) for scatter and its relatives."""
    axis = axis_of(dim, x.ndim)
    if usual(x, index, axis) and src.__class__ in PLAIN and src._a.dtype is x._a.dtype:
        small, have = index._a.shape, src._a.shape
        if small == have:
            return axis, index, src
        if len(small) == len(have) and all(map(int.__le__, small, have)):
            return axis, index, P.slice_view(src, index=tuple(slice(0, n) for n in small))
    index = int_index(index, name)
    _check_ranks(name, x, index, axis)
    check_index(index, x.shape[axis] if x.ndim else 1, axis, name)
    if not isinstance(src, TensorBase):
        return axis, index, _full_like_index(x, index, src)
    same_type(name, x, src)
    if index.numel() and tuple(src.shape) != tuple(index.shape):  # type: ignore[attr-defined]
        _check_ranks(name, src, index, -1, "src")
        cut = tuple(slice(0, n) for n in index.shape)
        src = P.slice_view(src, index=cut)
    elif not index.numel():
        src = _full_like_index(x, index, 0)
    return axis, index, src


def _full_like_index(x: Any, index: Any, value: Any) -> Any:
    number = number_for(value, x.dtype)
    return P.broadcast_to(make(np.asarray(number, x.dtype.np)), shape=tuple(index.shape))


def _fit_rank(x: Any, index: Any, src: Any) -> tuple[Any, Any, Any]:
    """All three with at least one dimension, so that a 0-dim tensor is a line of one."""
    if x.ndim and index.ndim:
        return x, index, src
    return x.reshape(tuple(x.shape) or (1,)), index.reshape(-1), src.reshape(-1)


def _shaped_like(x: Any, result: Any) -> Any:
    return result if x.ndim else P.unsafe_view(result, shape=())


@public(inplace=True)
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Operand | None = None,
    *,
    value: Number | None = None,
    reduce: str | None = None,
) -> Tensor:
    """input with src written at out[index[i][j]][j] for dim 0, and likewise for others."""
    src = value if src is None else src
    if reduce is not None:
        folds = {"add": "sum", "multiply": "prod"}
        if reduce not in folds:
            raise refusal.runtime(
                f"reduce argument must be either add or multiply, got {reduce!r}", "scatter"
            )
        axis, index, src = _scatter_operands("scatter", input, dim, index, src)
        return _fold(input, index, src, axis, folds[reduce], True)
    axis, index, src = _scatter_operands("scatter", input, dim, index, src)
    if not index.numel():
        return P.clone(input)
    x, index, src = _fit_rank(input, index, src)
    return _shaped_like(input, P.scatter(x, index, src, axis=axis))


@public(inplace=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """input with src added at out[index[i][j]][j] for dim 0, and likewise for others."""
    axis, index, src = _scatter_operands("scatter_add", input, dim, index, src)
    return _fold(input, index, src, axis, "sum", True)


@public(inplace=True)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """input with src folded in at the scattered places by "sum", "prod", "mean", "amax", "amin"."""
    axis, index, src = _scatter_operands("scatter_reduce", input, dim, index, src)
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise refusal.runtime(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce!r}.",
            "scatter_reduce",
        )
    return _fold(input, index, src, axis, reduce, include_self)


_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1}


def _fold(input: Any, index: Any, src: Any, axis: int, reduce: str, include_self: bool) -> Any:
    """Scatter with a fold; without include_self, written places start from the neutral value."""
    if not index.numel():
        return P.clone(input)
    x, index, src = _fit_rank(input, index, src)
    if not include_self:
        start = _NEUTRAL.get(reduce)
        if start is None:
            start = _extreme_value(x.dtype, reduce == "amin")
        neutral = P.broadcast_to(make(np.asarray(start, x.dtype.np)), shape=tuple(index.shape))
        x = P.scatter(x, index, neutral, axis=axis)
    if reduce in ("amax", "amin"):
        extreme = P.scatter_max if reduce == "amax" else P.scatter_min
        folded = extreme(x, index, src, axis=axis, alone=not include_self)
    else:
        add = P.scatter_product if reduce == "prod" else P.scatter_add
        folded = add(x, index, src, axis=axis)
    if reduce == "mean":
        folded = _divided(folded, x, index, axis, include_self)
    return _shaped_like(input, folded)


def _extreme_value(dtype: Any, largest: bool) -> Any:
    if dtype.is_floating_point:
        return float("inf") if largest else float("-inf")
    if dtype is dtypes.bool_:
        return largest
    info = np.iinfo(dtype.np)
    return info.max if largest else info.min


def _divided(total: Any, x: Any, index: Any, axis: int, include_self: bool) -> Any:
    """Sums over the number of values that met at each place."""
    if x.dtype is dtypes.bool_:
        raise refusal.not_implemented(
            "\"scatter_reduce_mean\" not implemented for 'Bool'", fix="convert with .float() first."
        )
    one = make(np.ones((), np.int64))
    ones = P.broadcast_to(one, shape=tuple(index.shape))
    start = make(np.full(tuple(x.shape), int(include_self), np.int64))
    count = P.scatter_add(start, index, ones, axis=axis)
    count = P.where(P.eq(count, 0), 1, count)
    if x.dtype.category < dtypes.FLOAT:
        return as_type(total.div(count, rounding_mode="floor"), x.dtype)
    return total / as_type(count, x.dtype)


# ---- rows by an index ----------------------------------------------------------------------------


def _row_index(name: str, x: Any, dim: int, index: Any) -> tuple[int, Any]:
    axis = axis_of(dim, x.ndim)
    if x.__class__ in PLAIN and index.__class__ in PLAIN and x._a.ndim and index._a.ndim == 1:
        values = index._a
        if values.dtype is INT64 and (
            not values.size or np.maximum.reduce(values.view(UINT64)) < x._a.shape[axis]
        ):
            expect_within(index, 0, x._a.shape[axis] - 1)
            return axis, index
    if index.ndim > 1:
        raise refusal.index(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} with shape "
            f"{list(index.shape)}"
        )
    index = int_index(index, name)
    check_index(index, x.shape[axis] if x.ndim else 1, axis, name)
    return axis, (index if index.ndim else index.reshape(1))


@public()
def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The parts of input that the 1-D index names along `dim`, as a copy."""
    axis, index = _row_index("index_select", input, dim, index)
    if not input.ndim:
        return P.unsafe_view(P.index_select(input.reshape(1), index, axis=0), shape=())
    return P.index_select(input, index, axis=axis)


def _row_source(name: str, x: Any, axis: int, index: Any, src: Any) -> Any:
    """The source of index_add and its relatives, checked against tensor and index."""
    if x.__class__ in PLAIN and src.__class__ in PLAIN and src._a.dtype is x._a.dtype:
        large, have = x._a.shape, src._a.shape
        if large and have == (*large[:axis], index.shape[0], *large[axis + 1 :]):
            return src
    same_type(name, x, src)
    want = list(x.shape) or [1]
    want[axis] = index.shape[0]
    have = list(src.shape) or [1]
    # Adding and reducing compare ranks as well; a copy takes a 0-dim source for a line of one.
    if have != want or (name != "index_copy" and src.ndim != x.ndim):
        raise refusal.runtime(
            f"{name}(): source tensor shape must match self tensor shape, excluding the specified "
            f"dimension, where its length is that of the index. Got self.shape = {list(x.shape)} "
            f"source.shape = {list(src.shape)}, index of length {index.shape[0]}"
        )
    return src if src.ndim else src.reshape(1)


@public(inplace=True)
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Number = 1
) -> Tensor:
    """input with the parts of source added where the index points along `dim`."""
    axis, index = _row_index("index_add", input, dim, index)
    src = _row_source("index_add", input, axis, index, source)
    half = None if alpha == 1 else half_type(input)
    if half is not None:  # rounded once, at the end
        input, src, alpha = single(input), single(src), fitting(alpha, half)
    src = src if alpha == 1 else as_type(src * alpha, src.dtype)
    if not input.ndim:
        line = P.index_add(input.reshape(1), index, src, axis=0)
        return rounded(P.unsafe_view(line, shape=()), half)
    return rounded(P.index_add(input, index, src, axis=axis), half)


@public(inplace=True, autocast="widest")
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """input with the parts of source written where the index points along `dim`."""
    axis, index = _row_index("index_copy", input, dim, index)
    src = _row_source("index_copy", input, axis, index, source)
    if not input.ndim:
        return P.unsafe_view(P.index_copy(input.reshape(1), index, src, axis=0), shape=())
    return P.index_copy(input, index, src, axis=axis)


@public(inplace=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Operand) -> Tensor:
    """input with one value where the index points along `dim`."""
    axis, index = _row_index("index_fill", input, dim, index)
    if not input.dtype.is_complex and _is_complex(value):
        raise refusal.runtime(
            "index_fill_(): Converting complex Scalar to non-complex type is not supported: "
            f"{value!r} for a tensor of {input.dtype!r}"
        )
    # By a mask, so that a place named twice still gets the value once.
    places = input.shape[axis] if input.ndim else 1
    none, hits = make(np.zeros(places, bool)), make(np.ones(index.shape[0], bool))
    mask = P.index_copy(none, index, hits, axis=0)
    mask = mask.reshape([-1 if d == axis else 1 for d in range(input.ndim)])
    filled = P.masked_fill(input, mask, _value_for(input, value, "index_fill_"))
    return named(filled, "IndexFillBackward0")


def _is_complex(value: Any) -> bool:
    return isinstance(value, complex) or (isinstance(value, TensorBase) and value.is_complex())  # type: ignore[attr-defined]


def _value_for(x: Any, value: Any, name: str) -> Any:
    """A fill value as a 0-dim tensor of x's type."""
    if not isinstance(value, TensorBase):
        return make(np.asarray(number_for(value, x.dtype)).astype(x.dtype.np))
    if value.ndim:  # type: ignore[attr-defined]
        raise refusal.runtime(
            f"{name} only supports a 0-dimensional value tensor, but got tensor with {value.ndim} "
            "dimension(s)."
        )
    return value if value.dtype is x.dtype else converted(value, x.dtype)


@public(inplace=True)
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """input with the parts of source folded in by "prod", "mean", "amax" or "amin"."""
    axis, index = _row_index("index_reduce", input, dim, index)
    src = _row_source("index_reduce", input, axis, index, source)
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise refusal.runtime(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}."
        )
    line = index.reshape([-1 if d == axis else 1 for d in range(src.ndim)])
    index = P.broadcast_to(line, shape=tuple(src.shape))
    return _fold(input, index, src, axis, reduce, include_self)


def _here() -> str:
    return source.here()


# ---- masks ---------------------------------------------------------------------------------------


def _mask(mask: Any, name: str) -> Any:
    if mask.dtype is not dtypes.bool_:
        raise refusal.runtime(
            f"{name} expected self and mask to be of BoolTensor type: only supports boolean "
            f"masks, but got mask with dtype {mask.dtype!r}",
            fix="mask.bool().",
        )
    return mask


@public(inplace=True)
def masked_fill(input: Tensor, mask: Tensor, value: Operand) -> Tensor:
    """input with `value` where the mask holds; the mask broadcasts."""
    mask = _mask(mask, "masked_fill")
    if not isinstance(value, TensorBase):
        return P.masked_fill_number(input, mask, value=number_for(value, input.dtype))
    return P.masked_fill(input, mask, _value_for(input, value, "masked_fill_"))


@public()
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where the mask holds, as a 1-D tensor."""
    mask = _mask(mask, "masked_select")
    shape = joint_shape((input, mask))
    if mask._level is not None:
        return _masked_scatter_by_count(input, mask, source, shape)
    x = P.broadcast_to(input, shape=shape).reshape(-1)
    (places,) = P.nonzero_parts(P.broadcast_to(mask, shape=shape).reshape(-1))
    return P.index_axis(x, places, axis=0)


@public(inplace=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """input with the first elements of source where the mask holds, in order."""
    mask = _mask(mask, "masked_scatter")
    same_type("masked_scatter", input, source)
    shape = joint_shape((input, mask))
    if mask._level is not None:
        return _masked_scatter_by_count(input, mask, source, shape)
    x = P.broadcast_to(input, shape=shape).reshape(-1)
    (places,) = P.nonzero_parts(P.broadcast_to(mask, shape=shape).reshape(-1))
    n = places.shape[0]
    if source.numel() < n:
        raise refusal.runtime(
            "masked_scatter: expected self and source to have the same type and as many elements "
            "as the mask selects: Number of elements of source < number of ones in mask, "
            f"{source.numel()} < {n}"
        )
    values = P.slice_view(source.reshape(-1), index=(slice(0, n),))
    return P.unsafe_view(P.index_copy(x, places, values, axis=0), shape=shape)


def _masked_scatter_by_count(input: Any, mask: Any, source: Any, shape: tuple[int, ...]) -> Any:
    """masked_scatter for a mask that is another one in each example: of any number of places."""
    mask = P.broadcast_to(mask, shape=shape)
    before = mask.reshape(-1).long().cumsum(0) - 1
    values = P.index_select(source.reshape(-1), before.clamp(min=0), axis=0)
    return P.where(mask, values.reshape(shape), input)
