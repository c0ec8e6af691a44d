"""Views and shapes: what users write, normalised to the strict ops of the table."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from operator import index as as_int
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal, source
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.value import PLAIN
from ...ops.dtypes import INT, dtype
from ...ops.layout import viewed_strides
from ..api import public
from ..legacy import WORDS
from ..size import Size
from ..spellings import UNGIVEN, one_of
from .common import P, TensorBase, axis_of

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor


def given(values: tuple[Any, ...], named: dict[str, Any], name: str) -> tuple[Any, ...]:
    """`f(x, 2, 3)`, `f(x, (2, 3))` or `f(x, name=(2, 3))` as a plain tuple."""
    if named:
        if set(named) != {name} or values:
            wrong = next(iter(set(named) - {name}), name)
            raise refusal.wrong_type(f"got an unexpected keyword argument {wrong!r}")
        values = (named[name],)
    if len(values) == 1 and isinstance(values[0], tuple | list):
        values = tuple(values[0])
    return values


def sizes(values: tuple[Any, ...]) -> tuple[int, ...]:
    """Lengths as Python ints: 0-dim tensors and NumPy integers count as numbers."""
    return tuple(v if v.__class__ is int else as_int(v) for v in values)


def infer_shape(shape: tuple[Any, ...], numel: int, name: str = "view") -> tuple[int, ...]:
    """A requested shape with its -1 replaced."""
    shape = sizes(shape)
    known = 1
    unknown = None
    for k, d in enumerate(shape):
        if d == -1:
            if unknown is not None:
                raise refusal.runtime(
                    f"only one dimension can be inferred, but the shape {list(shape)} has -1 at "
                    f"index {unknown} and {k}",
                    f"{name}",
                )
            unknown = k
        elif d < 0:
            raise refusal.runtime(
                f"invalid shape dimension {d} at index {k} of shape {list(shape)}",
                f"{name}",
                fix="use -1 for the one length to be computed.",
            )
        else:
            known *= d
    if unknown is None and known == numel:
        return shape
    if unknown is not None and known == 0 and numel == 0:
        raise refusal.runtime(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the "
            "unspecified dimension size -1 can be any value and is ambiguous",
            f"{name}",
        )
    if unknown is None or known == 0 or numel % known:
        raise refusal.runtime(
            f"shape '{list(shape)}' is invalid for input of size {numel}",
            f"{name}",
            fix=f"the product of the new shape must be {numel}.",
        )
    return (*shape[:unknown], numel // known, *shape[unknown + 1 :])


# ---- another shape -------------------------------------------------------------------------------


@public(out=False)
def view(input: Tensor, *shape: Ints, **named: Any) -> Tensor:
    """The same memory with another shape (or, given a dtype, the same bytes as that type).

    >>> import chainrule as torch
    >>> torch.arange(6).view(2, -1)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    try:
        if shape and not named and input.__class__ in PLAIN:
            # The usual case: whole numbers that fit. The rest, which NumPy refuses, comes below.
            wanted = shape
            if shape[0].__class__ is not int:
                wanted = tuple(shape[0]) if isinstance(shape[0], tuple | list) else (-1,)
            if -1 not in wanted:
                try:
                    return P.view(input, shape=wanted)
                except (RuntimeError, TypeError):
                    pass
        if "dtype" in named:
            shape = (named.pop("dtype"),)
        if len(shape) == 1 and isinstance(shape[0], dtype):
            from ..strides import view_as_dtype

            return view_as_dtype(input, shape[0])
        wanted = infer_shape(given(shape, named, "size"), input.numel())
        if not is_viewable(input, wanted):
            raise refusal.runtime(
                "view size is not compatible with input tensor's size and stride (at least one "
                "dimension spans across two contiguous subspaces). Use .reshape(...) instead.",
                f"shape {list(input.shape)} with strides {list(input.stride())} cannot be read as "
                f"{list(wanted)} without copying",
            )
        return P.view(input, shape=wanted)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def is_viewable(t: Any, shape: tuple[int, ...]) -> bool:
    """Whether the memory of t can be read with another shape."""
    array = t._a
    if array.__class__ is not np.ndarray or array.flags.c_contiguous:
        return True
    return viewed_strides(array.shape, array.strides, shape) is not None


@public(out=False)
def reshape(input: Tensor, *shape: Ints, **named: Any) -> Tensor:
    """Another shape: a view where strides allow it, else a copy."""
    try:
        return reshaped(input, infer_shape(given(shape, named, "shape"), input.numel(), "reshape"))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def reshaped(input: Any, shape: tuple[int, ...]) -> Any:
    """A view where strides allow it, else a copy; the shape is known to fit."""
    if input._level is not None:  # the memory order of what a transform holds is not known here
        return P.reshape(input, shape=shape)
    if is_viewable(input, shape):
        return P.view(input, shape=shape)
    return P.unsafe_view(P.clone_contiguous(input), shape=shape)


@public(out=False)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """The same memory with another tensor's shape."""
    return view(input, *other.shape)


@public(out=False)
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """Another tensor's shape."""
    return reshape(input, *other.shape)


@public(out=False)
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dimensions start_dim..end_dim as one."""
    try:
        if input.ndim == 0:
            for dim in (start_dim, end_dim):
                axis_of(dim, 1)
            return reshape(input, 1)
        a, b = axis_of(start_dim, input.ndim), axis_of(end_dim, input.ndim)
        if a > b:
            raise refusal.runtime(
                "flatten() has invalid args: start_dim cannot come after end_dim: "
                f"start_dim={start_dim}, end_dim={end_dim} for {input.ndim} dimensions"
            )
        if a == b:
            return input
        shape = tuple(input.shape)
        return reshaped(input, (*shape[:a], prod(shape[a : b + 1]), *shape[b + 1 :]))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(out=False)
def ravel(input: Tensor) -> Tensor:
    """All elements in one dimension."""
    return reshape(input.contiguous(), -1)


@public(out=False)
def unflatten(input: Tensor, dim: Ints, sizes: Sequence[int]) -> Tensor:
    """One dimension as several; one of them may be -1."""
    axis = axis_of(dim, input.ndim)
    shape = tuple(input.shape)
    if len(sizes) == 0:
        raise refusal.runtime("unflatten: sizes must be non-empty")
    inner = tuple(sizes)
    known = Size(d for d in inner if d != -1).numel()
    fits = shape[axis] % known == 0 if -1 in inner and known else known == shape[axis]
    if not fits:
        raise refusal.runtime(
            f"unflatten: Provided sizes {list(inner)} don't multiply up to the size of dim {axis} "
            f"({shape[axis]}) in the input tensor"
        )
    return view(input, *shape[:axis], *infer_shape(inner, shape[axis]), *shape[axis + 1 :])


@public(out=False)
def unsqueeze(input: Tensor, dim: int = UNGIVEN, axis: int = UNGIVEN) -> Tensor:
    """A view with a dimension of length 1 inserted at `dim`."""
    try:
        if axis is not ... or dim is ...:
            dim = one_of("unsqueeze", "dim", dim, axis)
        return P.unsqueeze(input, axis=axis_of(dim, input.ndim + 1))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(out=False)
def squeeze(input: Tensor, dim: Ints | None = None, *more: int, axis: Ints | None = None) -> Tensor:
    """A view without its dimensions of length 1 (all of them, or those named)."""
    try:
        shape = input.shape
        if more:
            dim = (dim, *more)  # type: ignore[assignment]
        elif dim is None:
            dim = axis
        if dim is None:
            return P.squeeze_all(input, axis=tuple(k for k, n in enumerate(shape) if n == 1))
        op = P.squeeze_axis
        if isinstance(dim, tuple | list):
            op = P.squeeze_axes
            dims = {axis_of(d, len(shape)) for d in dim}
            if len(dims) != len(dim):
                raise refusal.runtime(
                    f"dim {dim[-1]} appears multiple times in the list of dims: {list(dim)}"
                )
        else:
            dims = {axis_of(dim, len(shape))}
        if not shape:
            return op(input, axis=())
        return op(input, axis=tuple(sorted(d for d in dims if shape[d] == 1)))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


# ---- another order -------------------------------------------------------------------------------


@public(aliases=("swapdims",), out=False)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """The view with two dimensions exchanged."""
    try:
        n = input.ndim
        a, b = axis_of(dim0, n), axis_of(dim1, n)
        if n == 0:
            return P.alias(input)
        return P.swap_axes(input, axis0=a, axis1=b)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(out=False)
def swapaxes(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """The view with two dimensions exchanged, by NumPy's names."""
    return transpose(input, axis0, axis1)


@public(out=False)
def permute(input: Tensor, *dims: Ints, **named: Any) -> Tensor:
    """The view with its dimensions in another order."""
    try:
        dims = given(dims, named, "dims")
        n = input.ndim
        if len(dims) != n:
            raise refusal.runtime(
                "permute(sparse_coo): number of dimensions in the tensor input does not match the "
                f"length of the desired ordering of dimensions i.e. input.dim() = {n} is not equal "
                f"to len(dims) = {len(dims)}"
            )
        perm = tuple(axis_of(d, n) for d in dims)
        if len(set(perm)) != n:
            raise refusal.runtime(f"permute(): duplicate dims are not allowed. Got {list(dims)}")
        return P.transpose(input, perm=perm)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(out=False)
def t(input: Tensor) -> Tensor:
    """The transpose of a matrix."""
    try:
        if input.ndim > 2:
            raise refusal.runtime(
                f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D",
                fix="use .mT or .transpose(dim0, dim1).",
            )
        return P.t(input)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(aliases=("moveaxis",), out=False)
def movedim(input: Tensor, source: Ints, destination: Ints) -> Tensor:
    """Dimensions moved to other places; the rest keep their order."""
    n = input.ndim
    moved = [axis_of(d, n) for d in ((source,) if isinstance(source, int) else source)]
    places = [axis_of(d, n) for d in _tuple(destination)]
    if len(moved) != len(places):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source "
            f"({moved} dims) should contain the same number of dims as destination ({places} dims)"
        )
    for what, dims in (("source", moved), ("destination", places)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{what}` ({dims})")
    if n == 0:
        return P.alias(input)
    at = dict(zip(places, moved, strict=True))
    rest = iter([d for d in range(n) if d not in moved])
    return P.transpose(input, perm=tuple(at[k] if k in at else next(rest) for k in range(n)))


def _tuple(x: Any) -> tuple[Any, ...]:
    return (x,) if isinstance(x, int) else tuple(x)


@public(out=False)
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of the last two dimensions."""
    if input.ndim == 0:
        source.warn_user("adjoint() is deprecated on 0-D tensors. Use x.conj().")
        return input.conj() if input.is_complex() else input
    if input.ndim < 2:
        raise refusal.runtime(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got "
            f"{input.ndim}-D tensor."
        )
    turned = P.swap_axes(input, axis0=input.ndim - 2, axis1=input.ndim - 1)
    return turned.conj() if input.is_complex() else turned


# ---- repeated ------------------------------------------------------------------------------------


@public(out=False)
def expand(input: Tensor, *sizes_: Ints, **named: Any) -> Tensor:
    """A view repeated along dimensions of length 1; -1 keeps a dimension."""
    try:
        named.pop("implicit", None)
        wanted = sizes(given(sizes_, named, "size"))
        return P.broadcast_to(input, shape=expanded_shape(tuple(input.shape), wanted, input))
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def expanded_shape(
    have: tuple[int, ...], wanted: tuple[int, ...], of: Any = None
) -> tuple[int, ...]:
    """The shape that `expand` gives, or an error that names the dimension that does not fit."""
    lead = len(wanted) - len(have)
    if lead < 0:
        word = "" if of is None else WORDS[of.dtype.name]
        raise refusal.runtime(
            f"expand(torch.{word}Tensor{{{list(have)}}}, size={list(wanted)}): the number of sizes "
            f"provided ({len(wanted)}) must be greater or equal to the number of dimensions in the "
            f"tensor ({len(have)})"
        )
    shape = []
    for k, s in enumerate(wanted):
        n = have[k - lead] if k >= lead else 1
        if s == -1 and k >= lead:
            s = n
        elif s < 0:
            raise refusal.runtime(
                f"The expanded size of the tensor ({s}) isn't allowed in a leading, non-existing "
                f"dimension {k}"
            )
        elif n not in (1, s):
            raise refusal.runtime(
                f"The expanded size of the tensor ({s}) must match the existing size ({n}) at "
                f"non-singleton dimension {k}.  Target sizes: {list(wanted)}.  Tensor sizes: "
                f"{list(have)}"
            )
        shape.append(s)
    return tuple(shape)


@public(out=False)
def expand_as(input: Tensor, other: Tensor) -> Tensor:
    """A view repeated to another tensor's shape."""
    return P.broadcast_to(input, shape=expanded_shape(tuple(input.shape), tuple(other.shape)))


@public(out=False)
def broadcast_to(input: Tensor, size: Ints, *more: int) -> Tensor:
    """A view repeated to a shape it broadcasts to."""
    wanted = (size, *more) if isinstance(size, int) else tuple(size)
    return P.broadcast_to(input, shape=expanded_shape(tuple(input.shape), sizes(wanted)))


# ---- parts ---------------------------------------------------------------------------------------


@public(out=False)
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """The view at one position of a dimension."""
    if input.ndim == 0:
        raise refusal.index("select() cannot be applied to a 0-dim tensor.")
    axis, at = axis_of(dim, input.ndim), as_int(index)
    n = input.shape[axis]
    if not -n <= at < n:
        raise refusal.index(
            f"select(): index {at} out of range for tensor of size {list(input.shape)} at "
            f"dimension {axis}"
        )
    return P.select(input, axis=axis, index=at % n)


@public(out=False)
def narrow(input: Tensor, dim: int, start: int | Tensor, length: int) -> Tensor:
    """The view of `length` positions of a dimension from `start` on."""
    axis, first, stop = narrowed(input, dim, start, length, "narrow")
    return P.slice_axis(input, axis=axis, start=first, stop=stop, step=1)


def narrowed(input: Any, dim: int, start: Any, length: int, name: str) -> tuple[int, int, int]:
    """(axis, start, stop) of a narrowing, checked."""
    if input.ndim == 0:
        raise refusal.runtime(f"{name}() cannot be applied to a 0-dim tensor.")
    axis = axis_of(dim, input.ndim)
    place: Any = start
    if isinstance(start, TensorBase) and (place.ndim or place.dtype.category != INT):
        raise refusal.runtime(
            "start must be an 0-dim integral Tensor.",
            f"{name}: it is {place.dtype!r} of shape {list(place.shape)}",
        )
    n, first = input.shape[axis], as_int(place)
    if length < 0:
        raise refusal.runtime(f"{name}(): length must be non-negative.")
    if not -n <= first <= n:
        raise refusal.index(
            f"start out of range (expected to be in range of [{-n}, {n}], but got {first})",
            f"{name} of dimension {axis}",
        )
    first = first + n if first < 0 else first
    if first + length > n:
        raise refusal.runtime(
            f"start ({first}) + length ({length}) exceeds dimension size ({n}).",
            f"{name} of dimension {axis} of shape {list(input.shape)}",
        )
    return axis, first, first + length


@public(out=False)
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The view of a diagonal of two dimensions, as the last dimension."""
    a, b = two_axes(input.ndim, dim1, dim2, "diagonal")
    return P.diagonal(input, offset=as_int(offset), axis1=a, axis2=b)


def two_axes(ndim: int, dim1: int, dim2: int, name: str) -> tuple[int, int]:
    """Two different dimensions."""
    a, b = axis_of(dim1, ndim), axis_of(dim2, ndim)
    if a == b:
        raise refusal.runtime(f"{name} dimensions cannot be identical {dim1}, {dim2}")
    return a, b


@public(out=False)
def unfold(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """The view of all windows of `size` elements along a dimension, `step` apart."""
    axis = axis_of(dimension, input.ndim)
    n = input.shape[axis] if input.ndim else 1
    if size < 0 or size > n:
        raise refusal.runtime(
            f"maximum size for tensor at dimension {axis} is {n} but size is {size}"
        )
    if step <= 0:
        raise refusal.runtime(f"step is {step} but must be > 0")
    if input.ndim == 0:
        return narrow(input.reshape(1), 0, 0, size)
    return P.unfold(input, axis=axis, size=size, step=step)


@public(out=False)
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """The view of the tensor's storage with any shape and strides."""
    from ..strides import strided_layouts

    inner, outer = strided_layouts(input, sizes(tuple(size)), sizes(tuple(stride)), storage_offset)
    return P.as_strided(input, inner=inner, outer=outer)
