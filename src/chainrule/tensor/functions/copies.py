"""`<view>_copy` functions: what a view shows, as memory of its own."""

from __future__ import annotations

from collections.abc import Sequence
from operator import index as as_int
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...ops.dtypes import dtype as DType
from ..api import public
from .common import P, axis_of, no_dimensions
from .joining import checked_sections, equal_lengths
from .shapes import expanded_shape, infer_shape, narrowed, sizes, two_axes

if TYPE_CHECKING:
    from ..annotations import Ints, Tensor


@public(method=False)
def alias_copy(input: Tensor) -> Tensor:
    """A copy of the tensor."""
    return P.alias_copy(input)


@public(method=False)
def as_strided_copy(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """A copy of what as_strided shows."""
    from ..strides import strided_layouts

    inner, outer = strided_layouts(input, sizes(tuple(size)), sizes(tuple(stride)), storage_offset)
    return P.as_strided_copy(input, inner=inner, outer=outer)


@public(method=False)
def diagonal_copy(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of a diagonal."""
    a, b = two_axes(input.ndim, dim1, dim2, "diagonal")
    return P.diagonal_copy(input, offset=as_int(offset), axis1=a, axis2=b)


@public(method=False)
def expand_copy(input: Tensor, size: Sequence[int], *, implicit: bool = False) -> Tensor:
    """A copy of what expand shows."""
    return P.expand_copy(input, shape=expanded_shape(tuple(input.shape), sizes(tuple(size))))


@public()
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """A copy of a range of one dimension."""
    axis, first, stop = narrowed(input, dim, start, length, "narrow")
    return P.slice_copy(input, axis=axis, start=first, stop=stop, step=1)


@public(method=False)
def permute_copy(input: Tensor, dims: Sequence[int]) -> Tensor:
    """A copy with the dimensions in another order."""
    return P.permute_copy(input, perm=tuple(axis_of(d, input.ndim) for d in dims))


@public(method=False)
def select_copy(input: Tensor, dim: int, index: int) -> Tensor:
    """A copy of one position of a dimension."""
    axis = axis_of(dim, input.ndim)
    return P.select_copy(input, axis=axis, index=as_int(index) % input.shape[axis])


@public(method=False)
def slice_copy(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy of every step-th position of a range of one dimension."""
    axis = axis_of(dim, input.ndim)
    first, stop, _ = slice(start, end, step).indices(input.shape[axis])
    return P.slice_copy(input, axis=axis, start=first, stop=max(first, stop), step=step)


@public(method=False)
def split_with_sizes_copy(
    input: Tensor, split_sizes: Sequence[int], dim: int = 0
) -> tuple[Tensor, ...]:
    """Copies of consecutive parts of a dimension."""
    axis = axis_of(dim, input.ndim)
    lengths = checked_sections(input, split_sizes, axis)
    return P.split_with_sizes_copy(input, sizes=lengths, axis=axis)


@public(method=False)
def split_copy(input: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of parts of a dimension, of one length."""
    axis = axis_of(dim, input.ndim)
    return P.split_copy(input, sizes=equal_lengths(input.shape[axis], split_size), axis=axis)


@public(method=False)
def detach_copy(input: Tensor) -> Tensor:
    """A copy without history."""
    return input.detach().clone()


@public(method=False)
def squeeze_copy(input: Tensor, dim: Ints | None = None) -> Tensor:
    """A copy without the dimensions of length 1."""
    shape = input.shape
    if dim is None:
        return P.squeeze_copy(input, axis=tuple(k for k, n in enumerate(shape) if n == 1))
    wanted = dim if isinstance(dim, tuple | list) else (dim,)
    axes = tuple(sorted({axis_of(d, len(shape)) for d in wanted}))
    op = P.squeeze_axes_copy if isinstance(dim, tuple | list) else P.squeeze_axis_copy
    return op(input, axis=tuple(a for a in axes if len(shape) and shape[a] == 1))


@public(method=False)
def t_copy(input: Tensor) -> Tensor:
    """A copy of the transpose of a matrix."""
    if input.ndim > 2:
        raise refusal.runtime(
            f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D", "t_copy"
        )
    return P.t_copy(input)


@public(method=False)
def transpose_copy(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """A copy with two dimensions exchanged."""
    a, b = axis_of(dim0, input.ndim), axis_of(dim1, input.ndim)
    return P.alias_copy(input) if input.ndim == 0 else P.transpose_copy(input, axis0=a, axis1=b)


@public(method=False)
def unbind_copy(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Copies of the positions of a dimension."""
    if not input.ndim:
        raise no_dimensions(dim, "unbind_copy")
    return P.unbind_copy(input, axis=axis_of(dim, input.ndim))


@public(method=False)
def unfold_copy(input: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """A copy of all windows along a dimension."""
    x = input if input.ndim else input.reshape(1)
    out = P.unfold_copy(x, axis=axis_of(dimension, input.ndim), size=size, step=step)
    return out if input.ndim else P.unsafe_view(out, shape=(size,))


@public(method=False)
def unsqueeze_copy(input: Tensor, dim: int) -> Tensor:
    """A copy with a dimension of length 1 inserted."""
    return P.unsqueeze_copy(input, axis=axis_of(dim, input.ndim + 1))


@public(method=False)
def view_as_real_copy(input: Tensor) -> Tensor:
    """A copy of complex numbers as pairs."""
    return P.view_as_real_copy(input)


@public(method=False)
def view_as_complex_copy(input: Tensor) -> Tensor:
    """A copy of pairs as complex numbers."""
    return P.view_as_complex_copy(input)


@public(method=False)
def view_copy(
    input: Tensor, size: Sequence[int] | None = None, *, dtype: DType | None = None
) -> Tensor:
    """A copy with another shape, or of the same bytes as another type."""
    wanted: Any = size
    if dtype is not None or isinstance(size, DType):
        return input.view(dtype or wanted).clone()
    shape = infer_shape(sizes(tuple(wanted)), input.numel())
    return P.view_copy(input, shape=shape)
