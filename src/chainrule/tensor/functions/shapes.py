"""Shapes and views of the first slice."""

from __future__ import annotations

from typing import Any

from ...autograd import source
from ..api import public
from ..size import Size
from .common import P, axis_of


def infer_shape(shape: tuple[Any, ...], numel: int, name: str = "view") -> tuple[int, ...]:
    """A requested shape with its -1 replaced."""
    if len(shape) == 1 and isinstance(shape[0], tuple | list):
        shape = tuple(shape[0])
    known = 1
    unknown = None
    for k, d in enumerate(shape):
        if d == -1 and unknown is None:
            unknown = k
        elif d < 0:
            raise RuntimeError(
                f"invalid shape dimension {d} at index {k} of shape {list(shape)}: only one "
                f"dimension can be inferred\n  at {source.here(3)}"
            )
        else:
            known *= d
    if unknown is None and known == numel:
        return tuple(shape)
    if unknown is None or known == 0 or numel % known:
        raise RuntimeError(
            f"shape '{list(shape)}' is invalid for input of size {numel}\n  {name} at "
            f"{source.here(3)}\n  Fix: the product of the new shape must be {numel}."
        )
    return (*shape[:unknown], numel // known, *shape[unknown + 1 :])


@public(out=False)
def view(input: Any, *shape: Any) -> Any:
    """The same memory with another shape (or, given a dtype, the same bytes as that type)."""
    if len(shape) == 1 and not isinstance(shape[0], int | tuple | list):
        return input.view_dtype(shape[0])
    return P.view(input, shape=infer_shape(shape, input.numel()))


@public(out=False)
def reshape(input: Any, *shape: Any) -> Any:
    """Another shape: a view where strides allow it, else a copy."""
    return P.reshape(input, shape=infer_shape(shape, input.numel(), "reshape"))


@public(aliases=("swapaxes", "swapdims"), inplace=False, out=False)
def transpose(input: Any, dim0: int, dim1: int) -> Any:
    """The view with two dimensions exchanged."""
    n = input.ndim
    if n == 0:
        return input.alias()
    perm = list(range(n))
    a, b = axis_of(dim0, n), axis_of(dim1, n)
    perm[a], perm[b] = b, a
    return P.transpose(input, perm=tuple(perm))


@public(out=False)
def permute(input: Any, *dims: Any) -> Any:
    """The view with its dimensions in another order."""
    if len(dims) == 1 and isinstance(dims[0], tuple | list):
        dims = tuple(dims[0])
    n = input.ndim
    perm = tuple(axis_of(d, n) for d in dims)
    if len(perm) != n or len(set(perm)) != n:
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {n} is not equal to "
            f"len(dims) = {len(dims)}\n  at {source.here(2)}"
        )
    return P.transpose(input, perm=perm)


@public(out=False)
def t(input: Any) -> Any:
    """The transpose of a matrix."""
    if input.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D\n"
            f"  at {source.here(2)}\n  Fix: use .mT or .transpose(dim0, dim1)."
        )
    return input.transpose(0, 1) if input.ndim == 2 else P.alias(input)


@public(out=False)
def unsqueeze(input: Any, dim: int) -> Any:
    """A view with a dimension of length 1 inserted at `dim`."""
    d = axis_of(dim, input.ndim + 1)
    shape = tuple(input.shape)
    return _view_unless_strided(input, (*shape[:d], 1, *shape[d:]))


@public(out=False)
def squeeze(input: Any, dim: Any = None) -> Any:
    """A view without its dimensions of length 1 (all of them, or those named)."""
    shape = tuple(input.shape)
    n = len(shape)
    if dim is None:
        kept = tuple(s for s in shape if s != 1)
    else:
        dims = {axis_of(d, n) for d in ((dim,) if isinstance(dim, int) else dim)}
        kept = tuple(s for k, s in enumerate(shape) if not (k in dims and s == 1))
    return _view_unless_strided(input, kept)


def _view_unless_strided(input: Any, shape: tuple[int, ...]) -> Any:
    # Adding or removing dimensions of length 1 is a view whatever the strides.
    return P.view(input, shape=shape)


@public(out=False, method=True)
def expand(input: Any, *sizes: Any) -> Any:
    """A view repeated along dimensions of length 1; -1 keeps a dimension."""
    if len(sizes) == 1 and isinstance(sizes[0], tuple | list):
        sizes = tuple(sizes[0])
    lead = len(sizes) - input.ndim
    if lead < 0:
        raise RuntimeError(
            f"expand({list(sizes)}): the number of sizes provided ({len(sizes)}) must be greater "
            f"or equal to the number of dimensions in the tensor ({input.ndim})\n"
            f"  at {source.here(2)}"
        )
    shape = []
    for k, s in enumerate(sizes):
        have = input.shape[k - lead] if k >= lead else 1
        if s == -1 and k >= lead:
            s = have
        elif have not in (1, s) or s < 0:
            raise RuntimeError(
                f"The expanded size of the tensor ({s}) must match the existing size ({have}) at "
                f"non-singleton dimension {k}. Target sizes: {list(sizes)}. Tensor sizes: "
                f"{list(input.shape)}\n  at {source.here(2)}"
            )
        shape.append(s)
    return P.broadcast_to(input, shape=tuple(shape))


@public(out=False)
def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """The dimensions start_dim..end_dim as one."""
    if input.ndim == 0:
        return input.reshape(1)
    a, b = axis_of(start_dim, input.ndim), axis_of(end_dim, input.ndim)
    if a > b:
        raise RuntimeError(
            f"flatten() has invalid args: start_dim cannot come after end_dim: {start_dim}, "
            f"{end_dim}\n  at {source.here(2)}"
        )
    shape = input.shape
    return input.reshape(*shape[:a], Size(shape[a : b + 1]).numel(), *shape[b + 1 :])


@public(out=False)
def clone(input: Any, *, memory_format: Any = None) -> Any:
    """A copy with its own memory, through which gradients flow."""
    return P.clone(input)
