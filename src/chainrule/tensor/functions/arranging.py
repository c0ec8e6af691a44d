"""Repeating, turning, diagonals, grids: functions whose results have memory of their own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from operator import index as as_int
from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal, source
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.value import make
from ...ops import dtypes
from ..api import public
from ..layouts import required_order
from ..size import Size
from .casts import cast_to
from .common import P, axis_of, ints_of, no_dimensions
from .joining import stack
from .nn_common import named
from .shapes import given, sizes, two_axes

if TYPE_CHECKING:
    from ..annotations import DeviceLike, DType, Ints, Layout, MemoryFormat, Operand, Tensor

# ---- copies --------------------------------------------------------------------------------------


@public(out=False)
def clone(input: Tensor, *, memory_format: MemoryFormat | None = None) -> Tensor:
    """A copy with its own memory, through which gradients flow."""
    try:
        if memory_format is None or memory_format.name == "preserve_format":
            return P.clone(input)
        order = required_order(memory_format, tuple(input.shape))
        if memory_format.name == "contiguous_format":
            return P.clone_contiguous(input)
        return P.clone_ordered(input, order=order)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(out=False)
def repeat(input: Tensor, *repeats: Ints, **named: Any) -> Tensor:
    """The tensor laid out several times along each dimension."""
    times = sizes(given(repeats, named, "repeats"))
    lead = len(times) - input.ndim
    if lead < 0:
        raise refusal.runtime(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            f"tensor: {len(times)} repeats for {input.ndim} dimensions"
        )
    shape = (1,) * lead + tuple(input.shape)
    if any(k < 0 for k in times):
        wanted = [n * k for n, k in zip(shape, times, strict=True)]
        raise refusal.runtime(
            f"Trying to create tensor with negative dimension {min(wanted)}: {wanted}", "repeat"
        )
    return P.repeat(input.reshape(shape) if lead else input, repeats=times)


@public(out=False)
def tile(input: Tensor, *dims: Ints, **named: Any) -> Tensor:
    """Like repeat; missing leading repeats count as 1."""
    times = sizes(given(dims, named, "dims"))
    return repeat(input, *((1,) * (input.ndim - len(times)) + times))


# ---- turning -------------------------------------------------------------------------------------


@public(out=False)
def flip(input: Tensor, *dims: Ints, **named: Any) -> Tensor:
    """The order along some dimensions reversed."""
    wanted = given(dims, named, "dims")
    axes = tuple(axis_of(d, input.ndim) for d in wanted)
    if len(set(axes)) != len(axes):
        raise refusal.runtime(
            f"dim {axes[-1]} appears multiple times in the list of dims: {list(wanted)}", "flip"
        )
    return P.flip(input, axis=tuple(sorted(axes)) if input.ndim else ())


@public(out=False)
def fliplr(input: Tensor) -> Tensor:
    """Columns in reversed order."""
    if input.ndim < 2:
        raise refusal.runtime("Input must be >= 2-d.", "fliplr")
    return flip(input, 1)


@public(out=False)
def flipud(input: Tensor) -> Tensor:
    """Rows in reversed order."""
    if input.ndim < 1:
        raise refusal.runtime("Input must be >= 1-d.", "flipud")
    return flip(input, 0)


@public(out=False)
def roll(input: Tensor, shifts: Ints, dims: Ints = ()) -> Tensor:
    """Elements moved along dimensions; what leaves at the end enters at the start."""
    moves = ints_of(shifts, "shifts", "roll")
    axes = (dims,) if isinstance(dims, int) else tuple(dims or ())
    if not moves:
        raise refusal.runtime("`shifts` required", "roll")
    if not axes and len(moves) == 1:
        return P.roll(input, shifts=moves, axis=())
    if len(moves) != len(axes):
        raise refusal.runtime(
            f"shifts and dimensions must align. shifts: {len(moves)}, dims:{len(axes)}", "roll"
        )
    if input.ndim == 0:
        raise no_dimensions(next(iter(axes), 0), "roll")
    axes = tuple(axis_of(d, input.ndim) for d in axes)
    return P.roll(input, shifts=moves, axis=axes)


@public(out=False)
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Quarter turns from the first to the second of two dimensions."""
    if len(dims) != 2:
        raise refusal.runtime(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.ndim < 2:
        raise refusal.runtime(f"expected total dims >= 2, but got total dims = {input.ndim}")
    a, b = axis_of(dims[0], input.ndim), axis_of(dims[1], input.ndim)
    if a == b:
        raise refusal.runtime(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    return P.rot90(input, turns=k % 4, axis=(a, b))


# ---- triangles and diagonals ---------------------------------------------------------------------


def _need_matrix(input: Any, name: str) -> None:
    if input.ndim < 2:
        raise refusal.runtime(
            f"{name}: input tensor must have at least 2 dimensions, its shape is "
            f"{list(input.shape)}"
        )


@public(inplace=True)
def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of the last two dimensions; zero above the diagonal."""
    _need_matrix(input, "tril")
    return P.tril(input, k=as_int(diagonal))


@public(inplace=True)
def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of the last two dimensions; zero below the diagonal."""
    _need_matrix(input, "triu")
    return P.triu(input, k=as_int(diagonal))


@public()
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """A vector as a diagonal matrix, or a matrix's diagonal as a vector."""
    if input.ndim == 1:
        return P.diag_embed(input, offset=as_int(diagonal), axis1=0, axis2=1)
    if input.ndim != 2:
        raise refusal.runtime(
            f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D",
            fix="use diagonal() or diag_embed() for batches.",
        )
    return P.diagonal_copy(input, offset=as_int(diagonal), axis1=0, axis2=1)


@public(out=False)
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dimension on a diagonal of two new dimensions."""
    a, b = two_axes(input.ndim + 1, dim1, dim2, "diagonal")
    return P.diag_embed(input, offset=as_int(offset), axis1=a, axis2=b)


@public(out=False)
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """All elements on the diagonal of a matrix."""
    return P.diag_embed(input.reshape(-1), offset=as_int(offset), axis1=0, axis2=1)


def _triangle_indices(row: int, col: int, offset: int, upper: bool, **kwargs: Any) -> Any:
    from ..creation import finish, np_dtype

    if row < 0 or col < 0:
        raise RuntimeError(f"row and col must be non-negative, got ({row}, {col})")
    mask = ~np.tri(row, col, offset - 1, bool) if upper else np.tri(row, col, offset, bool)
    wanted = np_dtype(kwargs.get("dtype"), dtypes.int64)
    return finish(np.stack(np.nonzero(mask)).astype(wanted), device=kwargs.get("device"))


@public(method=False, out=False)
def tril_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType | None = None,
    device: DeviceLike | None = None, layout: Layout | None = None, pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Row and column numbers of a lower triangle, as a 2 x n tensor."""
    return _triangle_indices(row, col, offset, False, dtype=dtype, device=device)


@public(method=False, out=False)
def triu_indices(
    row: int, col: int, offset: int = 0, *, dtype: DType | None = None,
    device: DeviceLike | None = None, layout: Layout | None = None, pin_memory: bool = False,
    requires_grad: bool = False,
) -> Tensor:  # fmt: skip
    """Row and column numbers of an upper triangle, as a 2 x n tensor."""
    return _triangle_indices(row, col, offset, True, dtype=dtype, device=device)


# ---- broadcasting and grids ----------------------------------------------------------------------


@public(method=False, out=False)
def broadcast_shapes(*shapes: Ints) -> Any:
    """The shape that tensors of the given shapes broadcast to."""
    plain = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    result: list[int] = [1] * max((len(s) for s in plain), default=0)
    for k, shape in enumerate(plain):
        for back in range(1, len(shape) + 1):
            n = shape[-back]
            if n < 0:
                raise refusal.runtime(
                    f"Trying to create tensor with negative dimension ({n}): ({n})"
                )
            if n in (1, result[-back]):
                continue
            if result[-back] != 1:
                raise refusal.runtime(
                    f"Attempting to broadcast a dimension of length {n} at -{back}! Mismatching "
                    f"argument at index {k} had {tuple(shape)}; but expected shape should be "
                    f"broadcastable to {result}"
                )
            result[-back] = n
    return Size(result)


def joint_shape(tensors: tuple[Any, ...]) -> tuple[int, ...]:
    """The broadcast shape of tensors, or PyTorch's error for the first pair that does not fit."""
    shape: tuple[int, ...] = ()
    for t in tensors:
        mine = tuple(t.shape)
        n = max(len(shape), len(mine))
        a, b = (1,) * (n - len(shape)) + shape, (1,) * (n - len(mine)) + mine
        for d, (x, y) in enumerate(zip(a, b, strict=True)):
            if x != y and 1 not in (x, y):
                raise refusal.runtime(
                    f"The size of tensor a ({x}) must match the size of tensor b ({y}) at "
                    f"non-singleton dimension {d}",
                    f"shapes {list(shape)} and {list(mine)}",
                )
        shape = tuple(y if x == 1 else x for x, y in zip(a, b, strict=True))
    return shape


def _each(tensors: tuple[Any, ...]) -> tuple[Tensor, ...]:
    """The tensors of a call that takes them one by one or as one list."""
    if len(tensors) == 1 and isinstance(tensors[0], tuple | list):
        return tuple(tensors[0])
    return tensors


@public(method=False, out=False)
def broadcast_tensors(*tensors: Tensor | Sequence[Tensor]) -> tuple[Tensor, ...]:
    """All tensors in their common shape: views, or the tensor itself where it has that shape."""
    given = _each(tensors)
    shape = joint_shape(given)
    return tuple(t if t.shape == shape else P.broadcast_to(t, shape=shape) for t in given)


@public(method=False, out=False)
def meshgrid(
    *tensors: Tensor | Sequence[Tensor], indexing: str | None = None
) -> tuple[Tensor, ...]:
    """Coordinate grids of vectors: views, one per vector."""
    vectors = _each(tensors)
    if indexing is None:
        source.warn_user(
            "torch.meshgrid: in an upcoming release, it will be required to pass the indexing "
            "argument. Pass indexing='ij' to keep the present result.",
        )
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise refusal.runtime(
            f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}'
        )
    for t in vectors:
        if t.ndim > 1:
            raise refusal.runtime(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: a tensor of "
                f"shape {list(t.shape)}"
            )
    if any(t.dtype is not vectors[0].dtype for t in vectors):
        raise refusal.runtime(
            "torch.meshgrid expects all tensors to have the same dtype, but got "
            f"{', '.join(repr(t.dtype) for t in vectors)}",
            fix="convert them with .to(dtype).",
        )
    swap = indexing == "xy" and len(vectors) >= 2
    order = list(vectors)
    if swap:
        order[:2] = order[1], order[0]
    shape = tuple(t.numel() for t in order)
    n = len(shape)
    grids = [
        P.broadcast_to(t.view(*(-1 if d == k else 1 for d in range(n))), shape=shape)
        for k, t in enumerate(order)
    ]
    if swap:
        grids[:2] = grids[1], grids[0]
    return tuple(grids)


def _need_vector(t: Any) -> None:
    if t.ndim != 1:
        raise refusal.runtime(f"Expect a 1D vector, but got shape {list(t.shape)}")


@public(method=False, out=False)
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All ways to pick one element of each vector, one per row."""
    for t in tensors:
        _need_vector(t)
    if len(tensors) == 1:
        return tensors[0]
    return stack([g.flatten() for g in meshgrid(*tensors, indexing="ij")], 1)


@public(method=False, out=False)
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All ways to pick r elements of a vector in order, one per row."""
    _need_vector(input)
    if r < 0:
        raise refusal.runtime(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return make(np.zeros(0, input.dtype.np))
    if r > input.shape[0] and not with_replacement:
        return input[make(np.zeros((0, r), np.int64))]
    pool = input.shape[0] + (r - 1 if with_replacement else 0)
    if r >= 1 << 15 or r * math.comb(pool, r) >= 1 << 40:
        raise refusal.runtime(
            f"combinations of {r} out of {input.shape[0]} elements are more than any memory holds"
        )
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = list(choose(range(input.shape[0]), r))
    return input[make(np.array(rows, np.int64).reshape(len(rows), r))]


# ---- complex numbers -----------------------------------------------------------------------------

_WORDS = {
    "float16": "Half", "bfloat16": "BFloat16", "float32": "Float", "float64": "Double",
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
    "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip


def _check_parts(a: Any, b: Any) -> None:
    words = [_WORDS.get(t.dtype.name, t.dtype.name) for t in (a, b)]
    if a.dtype.name not in ("float16", "float32", "float64") or not b.is_floating_point():
        raise refusal.runtime(
            f"Expected both inputs to be Half, Float or Double tensors but got {words[0]} and "
            f"{words[1]}"
        )
    if a.dtype is not b.dtype:
        raise refusal.runtime(
            f"Expected object of scalar type {words[0]} but got scalar type {words[1]} for second "
            "argument"
        )


@public("complex", method=False)
def complex_(real: Tensor, imag: Tensor) -> Tensor:
    """Complex numbers from their real and imaginary parts."""
    _check_parts(real, imag)
    made = P.make_complex(real, imag)
    if real.dtype is dtypes.float16:
        return named(cast_to(made, dtypes.complex32), "ComplexBackward0")
    return made


@public(method=False, autocast="float32")
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Complex numbers from their absolute values and angles."""
    _check_parts(abs, angle)
    return P.polar(abs, angle)


# ---- filling -------------------------------------------------------------------------------------


@public(method=False, out=False)
def fill(input: Tensor, value: Operand) -> Tensor:
    """The tensor's shape filled with one value, which may be a 0-dim tensor."""
    if getattr(value, "_level", None) is not None:  # there may be more values than inputs
        return P.fill(input, P.cast(value, dtype=input.dtype.np))
    return input.clone().fill_(value)
