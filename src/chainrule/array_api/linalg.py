"""The standard's linear algebra extension."""

from __future__ import annotations

from typing import Any, NamedTuple

import chainrule as torch

from ..autograd import refusal
from ..autograd.accidents import explain_module
from . import _types as types
from ._linear import matmul, matrix_transpose, tensordot, vecdot
from ._types import array, axes_of, promoted


class EighResult(NamedTuple):
    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    Q: Any
    R: Any


class SlogdetResult(NamedTuple):
    sign: Any
    logabsdet: Any


class SVDResult(NamedTuple):
    U: Any
    S: Any
    Vh: Any


def cholesky(x: Any, /, *, upper: Any = False) -> Any:
    """The triangular factor of positive definite matrices."""
    made = torch.linalg.cholesky(array(x, "cholesky"))
    return made.mH if upper else made


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The cross product of vectors of length 3; the other axes broadcast."""
    x1, x2 = promoted("cross", array(x1, "cross"), array(x2, "cross"))
    if not -min(x1.ndim, x2.ndim) <= axis < min(x1.ndim, x2.ndim):
        raise refusal.value(
            f"cross: axis {axis} is out of bounds for shapes {tuple(x1.shape)} and "
            f"{tuple(x2.shape)}"
        )
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise refusal.value(
            f"cross: vectors must have length 3, got {x1.shape[axis]} and {x2.shape[axis]} along "
            f"axis {axis}"
        )
    x1, x2 = torch.broadcast_tensors(torch.movedim(x1, axis, -1), torch.movedim(x2, axis, -1))
    made = torch.linalg.cross(x1, x2, dim=-1)
    return torch.movedim(made, -1, axis)


def det(x: Any, /) -> Any:
    """The determinants of square matrices."""
    return torch.linalg.det(array(x, "det"))


def diagonal(x: Any, /, *, offset: int = 0) -> Any:
    """The diagonals of matrices."""
    x = array(x, "diagonal")
    rows, columns = x.shape[-2:]
    if not -rows <= offset <= columns:
        return torch.diagonal(x, 0, -2, -1)[..., :0]
    return torch.diagonal(x, offset, -2, -1)


def eigh(x: Any, /) -> EighResult:
    """Eigenvalues and eigenvectors of symmetric or Hermitian matrices."""
    return EighResult(*torch.linalg.eigh(array(x, "eigh")))


def eigvalsh(x: Any, /) -> Any:
    """Eigenvalues of symmetric or Hermitian matrices."""
    return torch.linalg.eigvalsh(array(x, "eigvalsh"))


def inv(x: Any, /) -> Any:
    """The inverses of square matrices."""
    return torch.linalg.inv(array(x, "inv"))


def matrix_norm(x: Any, /, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    """Norms of matrices."""
    return torch.linalg.matrix_norm(array(x, "matrix_norm"), ord, keepdim=bool(keepdims))


def matrix_power(x: Any, n: int, /) -> Any:
    """Whole powers of square matrices."""
    return torch.linalg.matrix_power(array(x, "matrix_power"), n)


def matrix_rank(x: Any, /, *, rtol: Any = None) -> Any:
    """How many singular values are larger than rtol times the largest."""
    if array(x, "matrix_rank").ndim < 2:
        raise refusal.value(f"matrix_rank: expected matrices, got shape {tuple(x.shape)}")
    values = svdvals(x)
    if values.shape[-1] == 0:
        return torch.zeros(values.shape[:-1], dtype=types.int64)
    if rtol is None:
        rtol = max(x.shape[-2:]) * types.finfo(x).eps
    limit = values.amax(-1, keepdim=True) * (
        rtol.unsqueeze(-1) if isinstance(rtol, torch.Tensor) else rtol
    )
    return torch.sum(values > limit, -1)


def outer(x1: Any, x2: Any, /) -> Any:
    """All products of the elements of two vectors."""
    x1, x2 = promoted("outer", array(x1, "outer"), array(x2, "outer"))
    if x1.ndim != 1 or x2.ndim != 1:
        raise refusal.value(
            f"outer: expected vectors, got shapes {tuple(x1.shape)} and {tuple(x2.shape)}"
        )
    return torch.outer(x1, x2)


def pinv(x: Any, /, *, rtol: Any = None) -> Any:
    """The Moore-Penrose inverses of matrices."""
    if rtol is None:
        rtol = max(array(x, "pinv").shape[-2:]) * types.finfo(x).eps
    return torch.linalg.pinv(array(x, "pinv"), rtol=rtol)


def qr(x: Any, /, *, mode: str = "reduced") -> QRResult:
    """Matrices as products of orthonormal and upper triangular ones."""
    if mode not in ("reduced", "complete"):
        raise ValueError(f'qr: mode must be "reduced" or "complete", not {mode!r}')
    return QRResult(*torch.linalg.qr(array(x, "qr"), mode=mode))


def slogdet(x: Any, /) -> SlogdetResult:
    """Sign and logarithm of the determinants."""
    return SlogdetResult(*torch.linalg.slogdet(array(x, "slogdet")))


def solve(x1: Any, x2: Any, /) -> Any:
    """The solutions of x1 @ x = x2; x2 is a vector exactly if it has one dimension."""
    x1, x2 = promoted("solve", array(x1, "solve"), array(x2, "solve"))
    if x2.ndim == 1:
        column = x2.unsqueeze(-1).expand(*x1.shape[:-2], x2.shape[0], 1)
        return torch.linalg.solve(x1, column).squeeze(-1)
    batch = torch.broadcast_shapes(x1.shape[:-2], x2.shape[:-2])
    return torch.linalg.solve(x1.expand(*batch, *x1.shape[-2:]), x2.expand(*batch, *x2.shape[-2:]))


def svd(x: Any, /, *, full_matrices: Any = True) -> SVDResult:
    """The singular value decomposition."""
    return SVDResult(*torch.linalg.svd(array(x, "svd"), full_matrices=bool(full_matrices)))


def svdvals(x: Any, /) -> Any:
    """The singular values of matrices."""
    return torch.linalg.svdvals(array(x, "svdvals"))


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    """The sums of the diagonals."""
    target = dtype or types.sum_type(array(x, "trace").dtype)
    return torch.sum(diagonal(x, offset=offset), -1, dtype=target)


def vector_norm(
    x: Any,
    /,
    *,
    axis: Any = None,
    keepdims: Any = False,
    ord: Any = 2,
) -> Any:
    """Norms of vectors, whose elements may lie along several axes."""
    x = array(x, "vector_norm")
    axes = axes_of(axis, x.ndim)
    if not axes:  # every element is a vector of its own
        return torch.linalg.vector_norm(x.unsqueeze(-1), ord, dim=-1)
    return torch.linalg.vector_norm(x, ord, dim=axes, keepdim=bool(keepdims))


__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv", "matmul", "matrix_norm",
    "matrix_power", "matrix_rank", "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve",
    "svd", "svdvals", "tensordot", "trace", "vecdot", "vector_norm",
]  # fmt: skip


explain_module(globals())
