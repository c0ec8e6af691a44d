"""Functions of positions: in the flattened tensor, of several index tensors, of repetitions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...ops import dtypes
from ..api import public
from .common import P, TensorBase, axis_of
from .indexing_functions import check_index, int_index, same_type
from .reductions import as_type

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor

_FULL = slice(None)

# ---- flat positions ------------------------------------------------------------------------------


def _long_index(index: Any, name: str) -> Any:
    if getattr(index, "dtype", None) is dtypes.int32:
        raise refusal.runtime(
            f"{name}(): Expected a long tensor for index, but got Int", fix="index.long()."
        )
    return int_index(index, name)


@public()
def take(input: Tensor, index: Tensor) -> Tensor:
    """The elements at positions of the flattened tensor."""
    index = _long_index(index, "take")
    check_index(index, input.numel(), 0, "take", negative=True)
    return P.index_axis(input.reshape(-1), index, axis=0)


@public(inplace=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """input with source written (or added) at positions of the flattened tensor."""
    index = _long_index(index, "put")
    if index.numel() != source.numel():
        raise refusal.runtime(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.numel()}, index.numel() = {index.numel()}"
        )
    same_type("put", input, source)
    check_index(index, input.numel(), 0, "put", negative=True)
    flat, places = input.reshape(-1), index.reshape(-1)
    put_in = P.index_put(flat, source.reshape(-1), places, dims=(0,), accumulate=bool(accumulate))
    return P.unsafe_view(put_in, shape=tuple(input.shape))


def _place(index: Any, position: int) -> Any:
    """An index of index_put: a tensor, at least a line of one; or all, for None."""
    if index is None:
        return _FULL
    if not isinstance(index, TensorBase):
        raise refusal.wrong_type(
            f"index_put_(): expected Tensor as element {position} in argument 0, but got "
            f"{type(index).__name__}"
        )
    return index if index.ndim or index.dtype is dtypes.bool_ else index.reshape(1)


@public(inplace=True, out=False)
def index_put(
    input: Tensor, indices: Sequence[Tensor], values: Tensor, accumulate: bool = False
) -> Tensor:
    """input with values written (or added) at input[indices]."""
    from ..index_assign import without_lead
    from ..indexing import expect_places, refuse_out_of_bounds, result_shape, split

    if isinstance(indices, TensorBase):
        raise refusal.wrong_type(
            "index_put_(): argument 'indices' (position 1) must be tuple of Tensors, not Tensor",
            fix="x.index_put_((indices,), values).",
        )
    key = tuple(_place(i, n) for n, i in enumerate(indices))
    view, tensors, dims = split(input, key)
    masks = [i for i in key if i is not _FULL]
    if accumulate or values.numel() != 1 or len(masks) != 1 or masks[0].dtype is not dtypes.bool_:
        same_type("index_put", input, values)
    else:  # one value for all that a mask selects: of any type, as in masked_fill
        values = as_type(values, input.dtype)
    try:
        values = without_lead(values, result_shape(view, tensors, dims))
        made = P.index_put(view, values, *tensors, dims=dims, accumulate=bool(accumulate))
    except Exception:
        refuse_out_of_bounds(input, key, view, tensors, dims)
        raise
    expect_places(view, tensors, dims)
    if made.ndim == input.ndim:
        return made
    return P.unsafe_view(made, shape=tuple(input.shape))  # a 0-dim mask indexes a new dimension


@public(out=False, method=False)
def unravel_index(indices: Tensor, shape: Ints | Tensor) -> tuple[Tensor, ...]:
    """Flat positions as coordinates of a tensor of `shape`."""
    _check_unravelled(indices, shape)
    shape = (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)
    parts = []
    rest = as_type(indices, dtypes.int64)
    for n in reversed(shape):
        parts.append(rest % n)
        rest = rest // n
    return tuple(reversed(parts))


def _check_unravelled(indices: Any, shape: Any) -> None:
    if indices.dtype.category != dtypes.INT:
        raise refusal.wrong_type(
            f"expected 'indices' to be integer dtype, but got {indices.dtype!r}"
        )
    if not isinstance(shape, int | tuple | list):
        raise refusal.wrong_type(
            f"expected 'shape' to be int or sequence of ints, but got {type(shape).__name__}"
        )
    for n in (shape,) if isinstance(shape, int) else shape:
        if not isinstance(n, int):
            raise refusal.wrong_type(
                f"expected 'shape' sequence to only contain ints, but got {type(n).__name__}"
            )
        if n < 0:
            raise refusal.value(f"'shape' cannot have negative values, but got {shape}")


# ---- repetition ----------------------------------------------------------------------------------


@public(out=False)
def repeat_interleave(
    input: Tensor | None = None,
    repeats: int | Tensor | None = None,
    dim: int | None = None,
    *,
    output_size: int | None = None,
) -> Tensor:
    """Each element repeated along `dim` (of the flattened tensor by default)."""
    if input is None or repeats is None:  # repeat_interleave(repeats=...)
        return P.repeat_positions(as_type(repeats if input is None else input, dtypes.int64))
    x = input.reshape(-1) if dim is None else input
    axis = axis_of(0 if dim is None else dim, x.ndim)
    count: Any = repeats
    if not isinstance(repeats, TensorBase):
        if count < 0:
            raise refusal.runtime(f"repeats can not be negative: {count}")
        shape = tuple(x.shape)
        parts = P.broadcast_to(
            x.unsqueeze(axis + 1), shape=(*shape[: axis + 1], int(count), *shape[axis + 1 :])
        )
        out = parts.reshape((*shape[:axis], shape[axis] * int(count), *shape[axis + 1 :]))
        return P.clone_contiguous(out) if out._is_view() else out
    if repeats.ndim == 0 or repeats.shape[0] == 1:  # type: ignore[attr-defined]
        repeats = P.broadcast_to(repeats.reshape(1), shape=(x.shape[axis],))  # type: ignore[attr-defined]
    if repeats.shape[0] != x.shape[axis]:  # type: ignore[attr-defined]
        raise refusal.runtime(
            "repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{count.shape[0]} and input.size({axis}) = {x.shape[axis]}"
        )
    return P.index_select(x, P.repeat_positions(as_type(repeats, dtypes.int64)), axis=axis)
