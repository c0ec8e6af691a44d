"""Leading singular vectors by random projections, for matrices that are nearly of low rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..api import public
from .common import TensorBase
from .decompositions import qr
from .products import matmul
from .random_functions import randn
from .spectral import svd

if TYPE_CHECKING:
    from ..annotations import Tensor

_MOST_ROUNDS = 10_000


@public(method=False, out=False)
def svd_lowrank(
    A: Tensor, q: int | None = 6, niter: int | None = 2, M: Tensor | None = None
) -> tuple[Any, Any, Any]:
    """(U, S, V) with A - M close to U diag(S) V^H, from a random basis of q columns.

    >>> import chainrule as torch
    >>> A = torch.arange(12.0).reshape(4, 3)
    >>> U, S, V = torch.svd_lowrank(A, q=2)
    >>> torch.allclose(U @ torch.diag(S) @ V.T, A, atol=1e-4)
    True
    """
    rank, rounds = 6 if q is None else q, 2 if niter is None else niter
    if rounds > _MOST_ROUNDS:
        raise ValueError(f"niter(={rounds}) must be at most {_MOST_ROUNDS}")
    rows, columns = A.shape[-2:]
    if rows < columns:  # the shorter side is the one that is projected
        U, S, V = _leading(A.mH, rank, rounds, None if M is None else M.mH)
        return V, S, U
    return _leading(A, rank, rounds, M)


@public(method=False, out=False)
def pca_lowrank(
    A: Tensor, q: int | None = None, center: bool = True, niter: int = 2
) -> tuple[Any, Any, Any]:
    """Principal components (U, S, V) of the rows of A, by svd_lowrank of the centred matrix.

    >>> import chainrule as torch
    >>> U, S, V = torch.pca_lowrank(torch.arange(12.0).reshape(4, 3), q=1)
    >>> [f"{v:.3f}" for v in V[:, 0].abs().tolist()]  # all columns move together
    ['0.577', '0.577', '0.577']
    """
    if not isinstance(A, TensorBase) or A.ndim < 2:
        raise TypeError("pca_lowrank(): argument 'A' must be a Tensor of matrices")
    rows, columns = A.shape[-2:]
    least = min(rows, columns)
    rank = min(6, least) if q is None else q
    if not 0 <= rank <= least:
        raise ValueError(
            f"q(={rank}) must be non-negative integer and not greater than min(m, n)={least}"
        )
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    return svd_lowrank(A - A.mean(-2, keepdim=True) if center else A, rank, niter)


def _leading(A: Any, rank: int, rounds: int, M: Any) -> tuple[Any, Any, Any]:
    """Of matrices that are not wider than high."""
    target = A if M is None else A - M
    start = randn(A.shape[-1], rank, dtype=A.dtype)
    basis = qr(matmul(target, start)).Q
    for _ in range(rounds):
        basis = qr(matmul(target.mH, basis)).Q
        basis = qr(matmul(target, basis)).Q
    U, S, Vh = svd(matmul(basis.mH, target), full_matrices=False)
    return matmul(basis, U), S, Vh.mH
