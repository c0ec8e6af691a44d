"""Joining tensors and taking them apart."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from operator import index as as_int
from typing import TYPE_CHECKING, Any

from ...autograd import refusal, source
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.dispatch import attach_view, entry
from ...autograd.node import OutSlot
from ...autograd.record import record
from ...autograd.state import STATE
from ...autograd.value import FROM_MULTI, PLAIN, make
from ...ops.schema import TABLE
from ..api import public
from ..info import result_type_of
from .common import P, TensorBase, axis_of
from .shapes import sizes

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor

# ---- joining -------------------------------------------------------------------------------------


def tensor_list(tensors: Any, name: str, empty: type[Exception] = RuntimeError) -> tuple[Any, ...]:
    """A non-empty tuple of tensors, or an error that says what was given instead."""
    if isinstance(tensors, TensorBase) or not isinstance(tensors, tuple | list):
        raise refusal.wrong_type(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{type(tensors).__name__}",
            fix=f"{name}([x, y, ...]) takes a list; one tensor is taken apart by unbind().",
        )
    for k, t in enumerate(tensors):
        if not isinstance(t, TensorBase):
            raise refusal.wrong_type(
                f"expected Tensor as element {k} in argument 0, but got {type(t).__name__}",
                f"{name}",
            )
    if not tensors:
        phrase = f"{name} expects a non-empty TensorList"
        if empty is ValueError:
            phrase = f"torch.{name}(): expected a non-empty list of Tensors"
        raise empty(f"{phrase}\n  at {source.here()}")
    return tuple(tensors)


@public(aliases=("concat", "concatenate"), method=False, autocast="widest")
def cat(tensors: Sequence[Tensor], dim: int = 0, **named: Any) -> Tensor:
    """The tensors one after the other along a dimension.

    >>> import chainrule as torch
    >>> torch.cat([torch.zeros(2), torch.ones(1)])
    tensor([0., 0., 1.])
    """
    try:
        if not named and dim.__class__ is int and tensors.__class__ in (list, tuple):
            made = _usual_join(TABLE["cat"], tensors, dim)
            if made is not None:
                return made
        dim = named.pop("axis", dim)
        parts = tensor_list(tensors, "cat", ValueError)
        if any(t.ndim == 0 for t in parts):
            at = next(k for k, t in enumerate(parts) if t.ndim == 0)
            raise refusal.runtime(
                f"zero-dimensional tensor (at position {at}) cannot be concatenated",
                fix="use stack, or reshape it with t.reshape(1).",
            )
        # PyTorch lets the shape (0,) stand for "nothing", whatever the other shapes are.
        real = [t for t in parts if tuple(t.shape) != (0,)] or list(parts)
        axis = axis_of(dim, real[0].ndim)
        _check_joinable(parts, real, axis)
        if len(real) != len(parts):
            nothing = [0 if d == axis else n for d, n in enumerate(real[0].shape)]
            parts = tuple(t.reshape(nothing) if tuple(t.shape) == (0,) else t for t in parts)
        return P.cat(*parts, axis=axis)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _usual_join(op: Any, tensors: Any, dim: int) -> Any:
    """The join of plain tensors of one type and rank; None when anything is unusual or wrong."""
    w = STATE.w
    if w > 1 or not tensors:
        return None
    kind, rank, tracked = None, 0, False
    for t in tensors:
        if t.__class__ not in PLAIN:
            return None
        a = t._a
        if kind is None:
            kind, rank = a.dtype, a.ndim
        elif a.dtype is not kind or a.ndim != rank:
            return None
        tracked = tracked or t._rg
    axis = dim + rank + (op.name == "stack") if dim < 0 else dim
    if axis < 0:
        return None
    arrays = tuple([t._a for t in tensors])
    try:
        result = op.forward(*arrays, axis=axis)
    except (ValueError, IndexError, TypeError):
        return None
    made = make(result)
    if tracked and w == 0:
        made._rg = True
        made._node = record(op, tuple(tensors), arrays, (result,), {"axis": axis})
    return made


def _check_joinable(parts: tuple[Any, ...], real: list[Any], axis: int) -> None:
    first = real[0].shape
    for t in real:
        if t.ndim != len(first):
            raise refusal.runtime(
                f"Tensors must have same number of dimensions: got {len(first)} and {t.ndim}",
                f"cat of shapes {[list(p.shape) for p in parts]}",
            )
        for d, (a, b) in enumerate(zip(first, t.shape, strict=True)):
            if a != b and d != axis:
                number = next(k for k, p in enumerate(parts) if p is t)
                raise refusal.runtime(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {a} "
                    f"but got size {b} for tensor number {number} in the list.",
                    f"cat of shapes {[list(p.shape) for p in parts]}",
                    fix="choose the dim= in which they differ, or make the other sizes equal.",
                )


@public(method=False, autocast="widest")
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """The tensors, of one shape, along a new dimension."""
    try:
        if dim.__class__ is int and tensors.__class__ in (list, tuple):
            made = _usual_join(TABLE["stack"], tensors, dim)
            if made is not None:
                return made
        parts = tensor_list(tensors, "stack")
        first = parts[0].shape
        for k, t in enumerate(parts):
            if t.shape != first:
                raise refusal.runtime(
                    f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 "
                    f"and {list(t.shape)} at entry {k}"
                )
        return P.stack(*parts, axis=axis_of(dim, len(first) + 1))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(method=False)
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors side by side: along dimension 1, or 0 for vectors."""
    parts = atleast_1d(tensor_list(tensors, "hstack"))
    return cat(parts, 0 if parts[0].ndim == 1 else 1)


@public(aliases=("row_stack",), method=False)
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors as rows, one below the other."""
    return cat(atleast_2d(tensor_list(tensors, "vstack")), 0)


@public(method=False)
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors one behind the other: along dimension 2."""
    return cat(atleast_3d(tensor_list(tensors, "dstack")), 2)


@public(method=False)
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """The tensors as columns, side by side."""
    parts = tensor_list(tensors, "column_stack")
    return hstack([t.reshape(t.numel(), 1) if t.ndim <= 1 else t for t in parts])


@public(method=False, out=False)
def block_diag(*tensors: Tensor | Sequence[Tensor]) -> Tensor:
    """A matrix with the given matrices along its diagonal."""
    parts = []
    given = [t if isinstance(t, TensorBase) else _as_tensor(t) for t in tensors]
    common = result_type_of(given) if given else None  # as numbers, those without dimensions
    for k, t in enumerate(given):
        if t.ndim > 2:
            raise refusal.runtime(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {k} has "
                f"{t.ndim} dimensions"
            )
        t = t if t.dtype is common else t.to(common)
        parts.append(t.reshape(1, -1) if t.ndim < 2 else t)
    if not parts:
        from ..creation import zeros

        return zeros(1, 0)
    return P.block_diag(*parts)


def _as_tensor(value: Any) -> Any:
    from ..creation import as_tensor

    return as_tensor(value)


# ---- at least n dimensions -----------------------------------------------------------------------


def _each(tensors: tuple[Any, ...], lift: Any, name: str) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        return tuple(lift(t) for t in tensors[0])
    for t in tensors:
        if not isinstance(t, TensorBase):
            raise refusal.wrong_type(
                f"{name}() received an invalid combination of arguments - got "
                f"({type(t).__name__}), but expected tensors"
            )
    return lift(tensors[0]) if len(tensors) == 1 else tuple(lift(t) for t in tensors)


@public(method=False, out=False)
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Each tensor with at least one dimension."""
    return _each(tensors, lambda t: t.reshape(1) if t.ndim == 0 else t, "atleast_1d")


@public(method=False, out=False)
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Each tensor with at least two dimensions; new ones come first."""

    def lift(t: Any) -> Any:
        if t.ndim == 0:
            return t.reshape(1, 1)
        return t.unsqueeze(0) if t.ndim == 1 else t

    return _each(tensors, lift, "atleast_2d")


@public(method=False, out=False)
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> Any:
    """Each tensor with at least three dimensions."""

    def lift(t: Any) -> Any:
        if t.ndim == 0:
            return t.reshape(1, 1, 1)
        if t.ndim == 1:
            return t.unsqueeze(0).unsqueeze(-1)
        return t.unsqueeze(-1) if t.ndim == 2 else t

    return _each(tensors, lift, "atleast_3d")


# ---- taking apart --------------------------------------------------------------------------------


@public(out=False)
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """The views at each position of a dimension, as a tuple."""
    if input.ndim == 0:
        raise refusal.index(
            "Dimension specified as 0 but tensor has no dimensions: unbind needs at least one"
        )
    axis = axis_of(dim, input.ndim)
    if input.shape[axis] == 0:
        return ()
    singles = [{"axis": axis, "index": k} for k in range(input.shape[axis])]
    return _views(TABLE["unbind"], input, {"axis": axis}, TABLE["select"], singles)


def _parts(input: Any, lengths: tuple[int, ...], axis: int, name: str) -> tuple[Any, ...]:
    singles, start = [], 0
    for n in lengths:
        singles.append({"axis": axis, "start": start, "stop": start + n, "step": 1})
        start += n
    params = {"sizes": lengths, "axis": axis}
    return _views(TABLE[name], input, params, TABLE["slice_axis"], singles)


def _views(
    op: Any, input: Any, params: dict[str, Any], single_op: Any, singles: list[dict[str, Any]]
) -> tuple[Any, ...]:
    """Several views made by one op; each can also be made by itself, with `singles`."""
    usual = input.__class__ in PLAIN and not input._lazy and input._v is not None
    w = STATE.w
    if usual and (w == 1 or (w == 0 and not input._rg)):
        found = []
        for a, single in zip(op.forward(input._a, **params), singles, strict=True):
            t = make(a)
            attach_view(t, input, single_op, single, True)
            found.append(t)
        return tuple(found)
    if w or not usual:
        found = entry(op)(input, **params)
        for t, single in zip(found, singles, strict=True):
            if t._view is not None:  # to be replayed alone when its base was written
                t._view[2:4] = single_op, single
        return found
    # Plain tensors with a history.
    array, parent, version = input._a, input._view, input._v
    assert version is not None
    arrays = op.forward(array, **params)
    root = input if parent is None else parent[0]
    node = record(op, (input,), (array,), arrays, params)
    found = []
    for k, (a, single) in enumerate(zip(arrays, singles, strict=True)):
        t = make(a)
        t._rg, t._node, t._v = True, OutSlot(node, k), version
        t._view = [root, parent, single_op, single, version[0], FROM_MULTI]
        found.append(t)
    return tuple(found)


def equal_lengths(n: int, size: int) -> tuple[int, ...]:
    """n as parts of `size`, the last one shorter."""
    if n == 0:
        return (0,)
    return (size,) * (n // size) + ((n % size,) if n % size else ())


@public(out=False)
def split(
    input: Tensor, split_size_or_sections: Ints | None = None, dim: int = 0, **named: Any
) -> tuple[Tensor, ...]:
    """Views of parts of a dimension: of one length, or of the given lengths."""
    try:
        wanted = named.pop("split_size", split_size_or_sections)
        dim = named.pop("axis", dim)
        if isinstance(wanted, tuple | list):
            return split_with_sizes(input, wanted, dim)
        axis, size = _split_axis(input, dim, "split"), as_int(wanted)
        n = input.shape[axis]
        _check_split_size(n, size)
        return _parts(input, equal_lengths(n, size), axis, "split")
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _check_split_size(n: int, size: int) -> None:
    if size < 0:
        raise refusal.runtime(
            f"split expects split_size be non-negative, but got split_size={size}"
        )
    if size == 0 and n != 0:
        raise refusal.runtime(
            f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}"
        )


def _split_axis(input: Any, dim: int, name: str) -> int:
    if input.ndim == 0:
        raise refusal.runtime(f"{name} expects at least a 1-dimensional tensor")
    return axis_of(dim, input.ndim)


def checked_sections(input: Any, split_sizes: Any, axis: int) -> tuple[int, ...]:
    """Lengths that add up to the dimension."""
    lengths, n = sizes(tuple(split_sizes)), input.shape[axis]
    if any(k < 0 for k in lengths):
        raise refusal.runtime(
            "split_with_sizes expects split_sizes have only non-negative entries, but got "
            f"split_sizes={list(lengths)}"
        )
    if sum(lengths) != n:
        raise refusal.runtime(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at "
            f"dimension {axis}), but got split_sizes={list(lengths)}"
        )
    return lengths


@public(out=False)
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of a dimension, of the given lengths."""
    axis = _split_axis(input, dim, "split_with_sizes")
    lengths = checked_sections(input, split_sizes, axis)
    return _parts(input, lengths, axis, "split_with_sizes")


_MOST_PARTS = 1 << 17


def _check_parts(count: int, length: int, name: str) -> None:
    """Every part is a tensor of its own: far more of them than elements are no use to anybody."""
    if count > length + _MOST_PARTS:
        raise refusal.runtime(
            f"{name}: a dimension of {length} elements in {count} parts would be that many "
            "tensors, nearly all of them empty",
            fix="at most as many parts as elements.",
        )


def _chunk_lengths(input: Any, chunks: int, axis: int) -> tuple[int, ...]:
    if chunks <= 0:
        raise refusal.runtime(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input.shape[axis]
    if n == 0:
        _check_parts(chunks, n, "chunk")
        return (0,) * chunks
    return equal_lengths(n, -(-n // chunks))


@public(out=False)
def chunk(
    input: Tensor, chunks: int, dim: int = 0, *, axis: int | None = None
) -> tuple[Tensor, ...]:
    """Views of (at most) `chunks` parts of a dimension of equal length."""
    try:
        axis = _split_axis(input, dim if axis is None else axis, "chunk")
        name = "split" if input.shape[axis] else "split_with_sizes"
        return _parts(input, _chunk_lengths(input, as_int(chunks), axis), axis, name)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(out=False)
def unsafe_split(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Like split, as tensors that do not count as views of the input."""
    axis = _split_axis(input, dim, "split")
    if isinstance(split_size, tuple | list):
        return P.unsafe_split(input, sizes=checked_sections(input, split_size, axis), axis=axis)
    n, size = input.shape[axis], as_int(split_size)
    _check_split_size(n, size)
    return P.unsafe_split(input, sizes=equal_lengths(n, size), axis=axis)


@public(out=False, method=True)
def unsafe_split_with_sizes(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Like split_with_sizes, as tensors that do not count as views of the input."""
    return unsafe_split(input, tuple(split_sizes), dim)


@public(out=False)
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Like chunk, as tensors that do not count as views of the input."""
    axis = _split_axis(input, dim, "chunk")
    return P.unsafe_split(input, sizes=_chunk_lengths(input, as_int(chunks), axis), axis=axis)


@public(out=False)
def tensor_split(
    input: Tensor, indices_or_sections: Ints | Tensor | None = None, dim: int = 0, **named: Any
) -> tuple[Tensor, ...]:  # fmt: skip
    """Views of nearly equal parts of a dimension, or of the parts between given positions."""
    named.setdefault("sections", named.pop("tensor_indices_or_sections", indices_or_sections))
    wanted = named.pop("indices", named.pop("sections"))
    if input.ndim == 0:
        raise refusal.runtime(
            "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims"
        )
    axis = axis_of(dim, input.ndim)
    if isinstance(wanted, TensorBase):
        wanted = wanted.tolist()
    n = input.shape[axis]
    if isinstance(wanted, tuple | list):
        bounds = [0, *(as_int(k) for k in wanted), n]
    else:
        count = as_int(wanted)
        if count <= 0:
            raise refusal.runtime(f"number of sections must be larger than 0, got {count}")
        _check_parts(count, n, "tensor_split")
        whole, extra = divmod(n, count)
        bounds = [k * whole + min(k, extra) for k in range(count + 1)]
    found = []
    for a, b in pairwise(bounds):
        start, stop, _ = slice(a, b).indices(n)
        stop = max(start, stop)
        found.append(P.slice_axis(input, axis=axis, start=start, stop=stop, step=1))
    return tuple(found)


def _axis_split(input: Any, wanted: Any, axis: int, name: str, least: int) -> Any:
    if input.ndim < least:
        raise refusal.runtime(
            f"torch.{name} requires a tensor with at least {least} dimension, but got a tensor "
            f"with {input.ndim} dimensions!"
        )
    n = input.shape[axis]
    if isinstance(wanted, int) and (wanted <= 0 or n % wanted):
        raise refusal.runtime(
            f"torch.{name} attempted to split along dimension {axis}, but the size of the "
            f"dimension {n} is not divisible by the split_size {wanted}!"
        )
    return tensor_split(input, wanted, axis)


@public(out=False)
def hsplit(input: Tensor, *indices_or_sections: Ints, **named: Any) -> tuple[Tensor, ...]:
    """Views of parts side by side: along dimension 1, or 0 for vectors."""
    wanted = _wanted(indices_or_sections, named)
    return _axis_split(input, wanted, 0 if input.ndim == 1 else 1, "hsplit", 1)


@public(out=False)
def vsplit(input: Tensor, *indices_or_sections: Ints, **named: Any) -> tuple[Tensor, ...]:
    """Views of parts one below the other: along dimension 0."""
    return _axis_split(input, _wanted(indices_or_sections, named), 0, "vsplit", 2)


@public(out=False)
def dsplit(input: Tensor, *indices_or_sections: Ints, **named: Any) -> tuple[Tensor, ...]:
    """Views of parts one behind the other: along dimension 2."""
    return _axis_split(input, _wanted(indices_or_sections, named), 2, "dsplit", 3)


def _wanted(given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if named:
        return next(iter(named.values()))
    return given[0] if len(given) == 1 else given
