"""Indexing: a user's index, split into a basic part (a view) and index tensors.

PyTorch applies ints, slices, None and Ellipsis first and then the tensors; NumPy lets an int count
as an advanced index, which moves dimensions. So the basic part is taken first, with full slices
where tensors stand. A mask is the tensors of its nonzero coordinates; True and False are masks
without dimensions. Bounds are NumPy's to check; what it refuses is looked at again for the message.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from ..autograd import refusal, source
from ..autograd.dispatch import P
from ..autograd.expected import expect_within
from ..autograd.state import STATE, TRACE
from ..autograd.value import PLAIN, TensorBase, make
from ..ops import dtypes

if TYPE_CHECKING:
    from .annotations import Index, Tensor

_BASIC = {int, slice, type(None), type(Ellipsis)}
_FULL = slice(None)
INT64 = np.dtype(np.int64)


def is_basic(index: tuple[Any, ...]) -> bool:
    """Whether an index has only ints, slices, None and Ellipsis."""
    return _BASIC.issuperset(map(type, index))


def getitem(self: Tensor, index: Index) -> Tensor:
    """self[index]: a view for ints, slices, None and Ellipsis, else a copy."""
    kind = index.__class__
    key: Any = index
    try:
        if kind is int:
            return P.select_view(self, index=(key,))
        if kind is slice:
            if key.step is not None or not _plain_slice(key):
                key = checked_slice(key)
            if not self.ndim:
                raise IndexError
            return P.slice_view(self, index=(key,))
        if kind is tuple and is_basic(key):
            full = spelled_out(key, self.ndim)
            return P.slice_view(self, index=full) if full else P.alias(self)
        if (
            kind in PLAIN and key._a.dtype is INT64 and key._a.ndim and self.ndim
            and not STATE.unusual & TRACE
        ):  # fmt: skip
            try:
                return P.index_axis(self, key, axis=0)
            except Exception:  # the long way finds out why
                pass
        return advanced(self, key)
    except IndexError as problem:
        raise index_error(self, key, problem) from None


def advanced(self: Any, index: Any) -> Any:
    """self[index] for an index with tensors, masks or sequences in it."""
    if index.__class__ in PLAIN and index._a.ndim and self.ndim:
        if index._a.dtype.kind == "b" and index._a.ndim <= self.ndim:
            check_mask(self, index, 0)
            return P.masked_get(self, index)
    quick = quick_split(self, index) if index.__class__ is tuple else None
    view, tensors, dims = split(self, index) if quick is None else quick
    if not tensors:
        return P.alias(self) if view is self else view
    try:
        return taken(view, tensors, dims)
    except Exception:
        refuse_out_of_bounds(self, index, view, tensors, dims)
        if 0 not in result_shape(view, tensors, dims):
            raise
    # Nothing is selected, so PyTorch does not look at the numbers: any valid ones will do.
    return taken(view, [make(np.zeros(tuple(t.shape), np.int64)) for t in tensors], dims)


def taken(view: Any, tensors: list[Any], dims: tuple[int, ...]) -> Any:
    """view at index tensors for its dimensions `dims`."""
    if len(tensors) == 1:
        found = P.index_axis(view, tensors[0], axis=dims[0])
    else:
        found = P.index_get(view, *tensors, dims=dims)
    if STATE.unusual & TRACE and found.numel():
        expect_places(view, tensors, dims)
    return found


def expect_places(view: Any, tensors: list[Any], dims: tuple[int, ...]) -> None:
    """Let a trace check that index tensors stay within their dimensions."""
    for t, d in zip(tensors, dims, strict=True):
        expect_within(t, -view.shape[d], view.shape[d] - 1)


def result_shape(view: Any, tensors: list[Any], dims: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of view[tensors]."""
    block = broadcast_shape([tuple(t.shape) for t in tensors])
    rest = [n for d, n in enumerate(view.shape) if d not in dims]
    place = dims[0] if dims[-1] - dims[0] == len(dims) - 1 else 0
    return (*rest[:place], *block, *rest[place:])


def broadcast_shape(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The common shape of index tensors, or PyTorch's error."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        shown = ", ".join(str(list(s)) for s in shapes)
        raise IndexError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {shown}"
        ) from None


# ---- splitting -----------------------------------------------------------------------------------


def _plain_slice(s: slice) -> bool:
    """Whether start and stop are ints or None, not tensors or NumPy numbers."""
    a, b = s.start, s.stop
    return (a is None or a.__class__ is int) and (b is None or b.__class__ is int)


def checked_slice(s: slice) -> slice:
    """A slice of Python ints with a positive step."""
    step = s.step
    if step is not None and step <= 0:
        what = "slice step cannot be zero" if step == 0 else "step must be greater than zero"
        raise refusal.value(f"{what}, got {step}", fix="use .flip(dim) for a reversed tensor.")
    parts = [None if p is None else _slice_number(p) for p in (s.start, s.stop, step)]
    return slice(*parts)


def _slice_number(p: Any) -> int:
    if not hasattr(p, "__index__"):
        raise refusal.wrong_type(
            "slice indices must be integers or None or have an __index__ method, got "
            f"{type(p).__name__}"
        )
    return p.__index__()


def spelled_out(index: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    """A basic index with the Ellipsis spelled out and slices checked."""
    used = 0
    ellipsis = None
    for k, i in enumerate(index):
        if i is Ellipsis:
            ellipsis = k if ellipsis is None else ellipsis
        elif i is not None:
            used += 1
            if i.__class__ is slice and (i.step is not None or not _plain_slice(i)):
                index = (*index[:k], checked_slice(i), *index[k + 1 :])
    if used > ndim:
        raise IndexError
    if ellipsis is None:
        return index
    rest = tuple(i for i in index[ellipsis + 1 :] if i is not Ellipsis)
    return index[:ellipsis] + (_FULL,) * (ndim - used) + rest


def split(self: Any, index: Any) -> tuple[Any, list[Any], tuple[int, ...]]:
    """(view after the basic part, index tensors, their dimensions in that view)."""
    plan, tensors, dims, _ = planned(self, index)
    trivial = all(p.__class__ is slice and p == _FULL for p in plan)
    view = self if trivial else P.slice_view(self, index=tuple(plan))
    return view, tensors, tuple(dims)


def quick_split(self: Any, index: tuple[Any, ...]) -> Any:
    """`split` for an index of plain int64 tensors, ints and whole dimensions; None for others."""
    tensors, dims, plan, dim = [], [], [], 0
    for i in index:
        if i.__class__ in PLAIN and i._a.dtype is INT64 and i._a.ndim:
            tensors.append(i)
            dims.append(dim)
            plan.append(_FULL)
        elif i.__class__ is int:
            plan.append(i)
            continue
        elif i.__class__ is slice and i == _FULL:
            plan.append(i)
        else:
            return None
        dim += 1
    if not tensors or len(index) > self.ndim:
        return None
    view = self if dim == len(index) else P.slice_view(self, index=tuple(plan))
    return view, tensors, tuple(dims)


def planned(self: Any, index: Any) -> tuple[list[Any], list[Any], list[int], list[int]]:
    """(basic index, index tensors, their dimensions behind it, their dimensions in self)."""
    if index.__class__ is tuple:
        items = list(index)
    elif isinstance(index, list) and _is_legacy_tuple(index):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated: x[list] "
            "means x[tuple(list)] here; write that, or x[torch.tensor(list)]",
            stacklevel=_user_stacklevel(),
        )
        items = list(index)
    else:
        items = [index]
    items = [_normalise(i) for i in items]
    used = sum(_dims_used(i) for i in items)
    if used > self.ndim:
        raise IndexError
    at = next((k for k, i in enumerate(items) if i is Ellipsis), None)
    if at is not None:
        items[at : at + 1] = [_FULL] * (self.ndim - used)
        items = [i for i in items if i is not Ellipsis]
    return _plan(self, items)


def _user_stacklevel() -> int:
    """How many frames up the user's line is, for warnings."""
    import sys

    frame, level = sys._getframe(1), 1
    while frame is not None and source.is_library(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    return level


def _plan(self: Any, items: list[Any]) -> tuple[list[Any], list[Any], list[int], list[int]]:
    plan: list[Any] = []
    tensors: list[Any] = []
    dims: list[int] = []
    origins: list[int] = []
    dim = source_dim = 0  # in the view, and in self
    for i in items:
        if not isinstance(i, TensorBase):
            plan.append(i)
            dim += i.__class__ is not int
            source_dim += i is not None
            continue
        if i.dtype is dtypes.bool_:  # type: ignore[attr-defined]
            parts, used = _mask_parts(self, i, source_dim)
        else:
            parts, used = [i], 1
        plan += [_FULL] * used if used else [None]
        tensors += parts
        dims += range(dim, dim + len(parts))
        origins += range(source_dim, source_dim + len(parts))
        dim += len(parts)
        source_dim += used
    return plan, tensors, dims, origins


def check_mask(self: Any, mask: Any, dim: int) -> None:
    """A mask must have the lengths of the dimensions it stands for."""
    for k, n in enumerate(mask.shape):
        if self.shape[dim + k] != n:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {k} does not match the shape "
                f"of the indexed tensor {list(self.shape)} at index {dim + k}"
            )


def _mask_parts(self: Any, mask: Any, dim: int) -> tuple[list[Any], int]:
    """(coordinates where a mask holds, how many dimensions of self it covers)."""
    check_mask(self, mask, dim)
    if mask.ndim == 0:
        return list(P.nonzero_parts(mask.reshape(1))), 0
    return list(P.nonzero_parts(mask)), mask.ndim


def _normalise(i: Any) -> Any:
    """An entry of an index as int, slice, None, Ellipsis or index tensor."""
    kind = i.__class__
    if kind in _BASIC:
        return checked_slice(i) if kind is slice else i
    if isinstance(i, TensorBase):
        return _index_tensor(i)
    if isinstance(i, bool | np.bool_):
        return make(np.asarray(bool(i)))
    if isinstance(i, np.integer):
        return int(i)
    if isinstance(i, np.ndarray):
        return _index_tensor(make(i))
    if isinstance(i, list | tuple | range):
        return _index_tensor(_from_sequence(i))
    if hasattr(i, "__index__") and not isinstance(i, float):
        return i.__index__()
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {kind.__name__})"
    )


def _from_sequence(items: Any) -> Any:
    from .creation import tensor

    made = tensor(list(items))
    if made.dtype.is_floating_point:  # an empty list, or numbers that PyTorch truncates
        return make(made._a.astype(np.int64))
    return made


def _index_tensor(i: Any) -> Any:
    """An index tensor as bool or int64; an int when it is a known 0-dim number."""
    dtype = i.dtype
    if dtype is dtypes.uint8:
        warnings.warn(
            "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool "
            "instead.",
            stacklevel=_user_stacklevel(),
        )
        return P.cast(i, dtype=np.dtype(bool))
    if dtype is dtypes.bool_:
        return i
    if dtype.category == dtypes.INT and i.ndim == 0 and i.__class__ in PLAIN:
        return int(i)  # asked for in the usual way: a trace must know
    if dtype is dtypes.int32:
        return P.cast(i, dtype=np.dtype(np.int64))
    if dtype is not dtypes.int64:
        raise IndexError(
            f"tensors used as indices must be long, int, byte or bool tensors, got {dtype!r}; "
            "convert it with .long()"
        )
    return i


def _dims_used(i: Any) -> int:
    """How many dimensions of the tensor an entry of an index consumes."""
    if i is None or i is Ellipsis:
        return 0
    if isinstance(i, TensorBase) and i.dtype is dtypes.bool_:  # type: ignore[attr-defined]
        return i.ndim  # type: ignore[attr-defined]
    return 1


def _is_legacy_tuple(index: list[Any]) -> bool:
    """A short list that holds slices, tensors or sequences counts as a tuple, as NumPy once did."""
    return len(index) < 32 and any(
        isinstance(i, slice | TensorBase | list | tuple | range | np.ndarray | str)
        or i is None
        or i is Ellipsis
        for i in index
    )


# ---- errors --------------------------------------------------------------------------------------


def refuse_out_of_bounds(
    self: Any, index: Any, view: Any, tensors: list[Any], dims: tuple[int, ...]
) -> None:
    """Raise PyTorch's error when an index tensor points outside, or they do not fit together."""
    empty = 0 in result_shape(view, tensors, dims)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        origins = planned(self, index)[3]
    # A dimension without elements comes first: there no index is right.
    places = sorted(zip(tensors, dims, origins, strict=True), key=lambda p: view.shape[p[1]] > 0)
    for t, d, origin in places:
        size = view.shape[d]
        if t._level is not None or t._a.__class__ is not np.ndarray or (empty and size):
            continue
        outside = t._a[(t._a < -size) | (t._a >= size)]
        if outside.size:
            raise IndexError(
                f"index {outside[0]} is out of bounds for dimension {origin} with size {size}"
            )


def index_error(self: Any, index: Any, problem: IndexError) -> IndexError:
    """PyTorch's message for an index that does not fit, with the user's line."""
    text = str(problem)
    if not text.startswith(_OWN_MESSAGES):
        text = _basic_problem(self, index) or text
    return refusal.index(f"{text}", f"a tensor of shape {list(self.shape)}")


_OWN_MESSAGES = ("only integers", "tensors used", "The shape of", "shape mismatch")


def _basic_problem(self: Any, index: Any) -> str | None:
    items = list(index) if isinstance(index, tuple | list) else [index]
    if self.ndim == 0:
        if index.__class__ is slice:
            return "slice() cannot be applied to a 0-dim tensor."
        if isinstance(index, int | np.integer):
            return (
                "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
                "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
            )
    used = 0
    for i in items:
        used += _dims_used(i) if not isinstance(i, bool | np.bool_) else 0
    if used > self.ndim:
        return f"too many indices for tensor of dimension {self.ndim}: the index uses {used}"
    return _int_problem(self, items, used)


def _int_problem(self: Any, items: list[Any], used: int) -> str | None:
    """The first int of an index that is outside of its dimension."""
    dim = 0
    for i in items:
        if i is Ellipsis:
            dim += self.ndim - used
        elif isinstance(i, bool):
            continue
        elif (number := _known_number(i)) is not None:
            n = self.shape[dim]
            if not -n <= number < n:
                return f"index {number} is out of bounds for dimension {dim} with size {n}"
            dim += 1
        else:
            dim += _dims_used(i)
    return None


def _known_number(i: Any) -> int | None:
    """The number that an int, a NumPy number or a 0-dim integer tensor stands for."""
    if isinstance(i, TensorBase):
        known = i.__class__ in PLAIN and i._a.ndim == 0 and i._a.dtype.kind in "iu"
        return int(i._a) if known else None
    return int(i) if isinstance(i, int | np.integer) else None
