"""torch.lobpcg: a few extreme eigenpairs of a large symmetric matrix, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ...autograd.modes import no_grad
from ..api import public
from .common import TensorBase
from .joining import stack
from .random_functions import randn

if TYPE_CHECKING:
    from ..annotations import Tensor

if TYPE_CHECKING:
    from .lobpcg_iteration import LOBPCG

METHODS = ("basic", "ortho")
_ITERATIONS = 1000
_FULL_PRECISION = {
    "float32": 1.2e-07, "complex64": 1.2e-07, "float64": 2.23e-16, "complex128": 2.23e-16
}  # fmt: skip


@public(method=False, out=False)
def lobpcg(
    A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None,
    n: int | None = None, iK: Tensor | None = None, niter: int | None = None,
    tol: float | None = None, largest: bool | None = None, method: str | None = None,
    tracker: Callable[[LOBPCG], None] | None = None, ortho_iparams: dict[str, int] | None = None,
    ortho_fparams: dict[str, float] | None = None, ortho_bparams: dict[str, bool] | None = None,
) -> tuple[Any, Any]:  # fmt: skip
    """(E, X): the k largest or smallest eigenvalues of A X = B X diag(E), and eigenvectors with
    X^H B X = I. Only products with A, B and the preconditioner iK are taken, so that they may be
    sparse. Gradients by A and B need dense real matrices and eigenvalues apart from each other.

    >>> import chainrule as torch
    >>> E, X = torch.lobpcg(torch.diag(torch.arange(1.0, 10.0)), k=2, X=torch.ones(9, 2).tril())
    >>> E
    tensor([9.0000, 8.0000])
    """
    _check(A, B, X, method)
    columns = X.shape[-1] if X is not None else n if n is not None else 1 if k is None else k
    wanted = columns if k is None else k
    _check_sizes(A, wanted, columns)
    iparams = {"m": A.shape[-1], "n": columns, "k": wanted,
               "niter": _ITERATIONS if niter is None else niter}  # fmt: skip
    limit = _FULL_PRECISION[A.dtype.name] ** 0.5 if tol is None else tol
    fparams, bparams = {"tol": limit}, {"largest": True if largest is None else largest}
    method = method or "ortho"
    if method == "ortho":
        iparams |= {"i_max": 3, "j_max": 3} | (ortho_iparams or {})
        fparams |= {"ortho_tol": limit, "ortho_tol_drop": limit, "ortho_tol_replace": limit}
        fparams |= ortho_fparams or {}
        bparams |= {"ortho_use_drop": False} | (ortho_bparams or {})

    def solved(A: Any, B: Any) -> tuple[Any, Any]:
        with no_grad():
            start = randn(*A.shape[:-1], columns, dtype=A.dtype) if X is None else X.detach()
            return _each(A, B, start, iK, (iparams, fparams, bparams), method, tracker)

    if not _differentiable(A, B):
        return solved(A, B)
    from .lobpcg_gradient import Eigenpairs, symmetric

    if A.requires_grad or (B is not None and B.requires_grad):
        A, B = symmetric(A), None if B is None else symmetric(B)
    return Eigenpairs.apply(A, B, solved)


def _each(
    A: Any, B: Any, X: Any, iK: Any, params: tuple[Any, ...], method: str, tracker: Any
) -> tuple[Any, Any]:
    """The eigenpairs of every matrix of a batch."""
    from .lobpcg_iteration import LOBPCG

    if A.ndim == 2:
        iparams, fparams, bparams = (dict(p) for p in params)
        return LOBPCG(A, B, X, iK, iparams, fparams, bparams, method, tracker).run()
    lead, m = tuple(A.shape[:-2]), A.shape[-1]
    flat_A, flat_X = A.reshape(-1, m, m), X.reshape(-1, *X.shape[-2:])
    flat_B, flat_K = (
        None if t is None else t.expand(*lead, m, m).reshape(-1, m, m) for t in (B, iK)
    )
    pairs = [
        _each(flat_A[i], None if flat_B is None else flat_B[i], flat_X[i],
              None if flat_K is None else flat_K[i], params, method, tracker)
        for i in range(len(flat_A))
    ]  # fmt: skip
    k = params[0]["k"]
    if not pairs:
        return A.new_empty((*lead, k)).real, A.new_empty((*lead, m, k))
    return (
        stack([E for E, _ in pairs]).reshape(*lead, k),
        stack([V for _, V in pairs]).reshape(*lead, m, k),
    )


def _differentiable(*matrices: Any) -> bool:
    """Whether all matrices that are given are dense."""
    return all(m is None or (isinstance(m, TensorBase) and not m.is_sparse) for m in matrices)  # type: ignore[attr-defined]


# ---- checks --------------------------------------------------------------------------------------


def _check(A: Any, B: Any, X: Any, method: str | None) -> None:
    if A.ndim < 2 or A.shape[-2] != A.shape[-1]:
        raise refusal.runtime(f"lobpcg: A must be square, got shape {tuple(A.shape)}")
    if A.dtype.name not in _FULL_PRECISION:
        raise refusal.runtime(
            f"lobpcg: expected a matrix of float32, float64 or complex numbers, got {A.dtype!r}"
        )
    for name, given in (("B", B), ("X", X)):
        if given is not None and given.dtype != A.dtype:
            raise refusal.runtime(
                f"lobpcg: expected A and {name} to have the same dtype, but got {A.dtype!r} and "
                f"{given.dtype!r}"
            )
    if B is not None and tuple(B.shape[-2:]) != tuple(A.shape[-2:]):
        raise refusal.runtime(
            f"lobpcg: B must have the shape of A, {tuple(A.shape)}, got {tuple(B.shape)}"
        )
    if X is not None and tuple(X.shape[:-1]) != tuple(A.shape[:-1]):
        raise refusal.runtime(
            f"lobpcg: X must have a row for each row of A, {tuple(A.shape)}, got {tuple(X.shape)}"
        )
    if method is not None and method not in METHODS:
        raise refusal.value(f"lobpcg: method must be one of {', '.join(METHODS)}, got {method!r}")


def _check_sizes(A: Any, wanted: int, columns: int) -> None:
    rows = A.shape[-1]
    if rows < 3 * columns:
        raise refusal.value(
            f"LOBPCG algorithm is not applicable when the number of A rows (={rows}) is smaller "
            f"than 3 x the number of requested eigenpairs (={columns})",
            fix="linalg.eigh finds all eigenpairs of a small matrix.",
        )
    if not 1 <= wanted <= columns:
        raise refusal.value(
            f"lobpcg: k must be between 1 and the {columns} columns of X, got {wanted}"
        )
