"""Norms of vectors and matrices, condition and rank, distances between rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...ops import dtypes
from ..api import public
from .common import P, axis_of
from .linalg import checked, matrices, one_scalar_type, square, tolerances, type_word
from .spectral import eigvalsh
from .vector_norms import check_norm_type, vector_norm_of

if TYPE_CHECKING:
    from ..annotations import DType, Ints, Tensor

# ---- norms ---------------------------------------------------------------------------------------


@public(namespace="linalg")
def vector_norm(
    x: Tensor,
    ord: float | str = 2,
    dim: Ints | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """The norm of the elements over `dim` (all of them by default)."""
    if isinstance(ord, str):
        raise refusal.wrong_type(
            f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not str: {ord!r}"
        )
    if x.dtype.category < dtypes.FLOAT:
        raise refusal.runtime(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{type_word(x)}"
        )
    if dtype is not None:
        check_norm_type(x, dtype, "linalg.vector_norm")
        x = x.to(dtype)
    return vector_norm_of(x, float(ord), dim, keepdim)


_INF = float("inf")


@public(namespace="linalg")
def matrix_norm(
    A: Tensor,
    ord: float | str = "fro",
    dim: Sequence[int] = (-2, -1),
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """A norm of matrices: "fro", "nuc", inf, -inf, 1, -1, 2 or -2."""
    if dtype is not None and A.dtype.category >= dtypes.FLOAT:
        check_norm_type(A, dtype, "linalg.matrix_norm")
        A = A.to(dtype)
    if A.ndim < 2 or A.dtype.itemsize != 2:
        matrices(A, "linalg.matrix_norm")
    first, second = (axis_of(d, A.ndim) for d in dim)
    if first == second:
        raise refusal.runtime(
            f"linalg.matrix_norm: dims must be different. Got ({dim[0]}, {dim[1]})"
        )
    if ord == "fro":
        return vector_norm_of(A, 2.0, (first, second), keepdim)
    if ord == "nuc":
        return _singular_norm(A, first, second, keepdim, lambda s: s.sum(-1))
    if isinstance(ord, str) or abs(ord) not in (1, 2, _INF):
        raise refusal.runtime(f"linalg.matrix_norm: Order {ord} not supported.")
    if ord == 2 and 0 in (A.shape[first], A.shape[second]):
        return vector_norm_of(A, 2.0, (first, second), keepdim)  # no singular value: 0
    if abs(ord) == 2:
        pick = "amax" if ord > 0 else "amin"
        return _singular_norm(A, first, second, keepdim, lambda s: getattr(s, pick)(-1))
    summed, chosen = (first, second) if abs(ord) == 1 else (second, first)
    sums = vector_norm_of(A, 1.0, (summed,), keepdim)
    if not keepdim and chosen > summed:
        chosen -= 1
    if ord > 0 and not sums.shape[chosen]:
        return sums.sum(chosen, keepdim)  # nothing is as large as 0
    return sums.amax(chosen, keepdim) if ord > 0 else sums.amin(chosen, keepdim)


def _singular_norm(
    A: Any, first: int, second: int, keepdim: bool, reduce: Callable[[Any], Any]
) -> Any:
    rest = [d for d in range(A.ndim) if d not in (first, second)]
    result = reduce(svdvals(A.permute(*rest, first, second)))
    if keepdim:
        for d in sorted((first, second)):
            result = result.unsqueeze(d)
    return result


@public(namespace="linalg")
def norm(
    A: Tensor,
    ord: float | str | None = None,
    dim: Ints | None = None,
    keepdim: bool = False,
    *,
    dtype: DType | None = None,
) -> Tensor:
    """A vector norm, or with two dimensions (or a matrix and an order) a matrix norm."""
    matrix = isinstance(ord, str) or (
        ord is not None and (len(dim) == 2 if isinstance(dim, Sequence) else A.ndim == 2)
        and not isinstance(dim, int)
    )  # fmt: skip
    if ord is not None and dim is None and A.ndim not in (1, 2):
        raise refusal.runtime(
            "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got "
            f"{A.ndim}D."
        )
    if matrix:
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, 2 if ord is None else ord, dim, keepdim, dtype=dtype)


# ---- singular values and what they tell ----------------------------------------------------------


@public(namespace="linalg", autocast="float32")
def svdvals(A: Tensor, *, driver: str | None = None) -> Tensor:
    """The singular values, in descending order."""
    matrices(A, "linalg.svdvals")
    if A._level is None and not A._rg:
        return checked(P.singular_values, A)
    return checked(P.svd, A, full=False)[1]


@public(namespace="linalg", autocast="float32")
def cond(A: Tensor, p: float | str | None = None) -> Tensor:
    """The condition number: a norm of A times that of its inverse."""
    matrices(A, "linalg.cond")
    if A.numel() == 0:
        if isinstance(p, str):
            square(A, "linalg.cond")
        return vector_norm_of(A, 2.0, (-2, -1), False)  # zeros, one for each matrix
    if p is None or p in (2, -2):
        s = svdvals(A)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    square(A, "linalg.cond")
    inverse = P.inv_ex(A, check="")[0]
    result = matrix_norm(A, p) * matrix_norm(inverse, p)
    return result if p == "nuc" else result.nan_to_num(_INF, _INF, -_INF)


@public(namespace="linalg", autocast="float32")
def matrix_rank(
    A: Tensor,
    tol: float | Tensor | None = None,
    hermitian: bool = False,
    *,
    atol: float | Tensor | None = None,
    rtol: float | Tensor | None = None,
) -> Tensor:
    """How many singular values are larger than max(atol, rtol * the largest)."""
    matrices(A, "linalg.matrix_rank")
    if tol is not None:
        atol, rtol = tol, 0.0
    A = A.detach()
    values = eigvalsh(A).abs() if hermitian else svdvals(A)
    absolute, relative = tolerances(A, atol, rtol)
    if values.shape[-1] == 0:
        return values.sum(-1).to(dtypes.int64)
    cutoff = P.maximum(absolute.unsqueeze(-1), relative.unsqueeze(-1) * values.amax(-1, True))
    return (values > cutoff).sum(-1)


# ---- distances -----------------------------------------------------------------------------------

_MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
)  # fmt: skip


@public(method=False, out=False, autocast="float32")
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: str = "use_mm_for_euclid_dist_if_necessary",
) -> Tensor:
    """The distances between the rows of x1 and those of x2, batches broadcast."""
    for name, x in (("X1", x1), ("X2", x2)):
        if x.ndim < 2:
            raise refusal.runtime(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
        if x.dtype.category != dtypes.FLOAT:
            raise refusal.runtime(
                f"cdist only supports floating-point dtypes, {name} got: {type_word(x)}"
            )
    if x1.shape[-1] != x2.shape[-1]:
        raise refusal.runtime(
            f"X1 and X2 must have the same number of columns. X1: {x1.shape[-1]} X2: {x2.shape[-1]}"
        )
    one_scalar_type(x1, x2, "cdist")
    if p < 0:
        raise refusal.runtime(f"cdist only supports non-negative p values, got {p}")
    if compute_mode not in _MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    mode = _MODES.index(compute_mode)
    many = x1.shape[-2] > 25 or x2.shape[-2] > 25
    if p == 2 and (mode == 1 or (mode == 0 and many)):
        return P.euclidean_distance(x1, x2)
    return P.cdist(x1, x2, p=float(p))
