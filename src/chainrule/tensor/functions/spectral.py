"""Eigenvalues and singular values with PyTorch's signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...autograd import refusal
from ..api import public
from ..return_types import named
from .common import P
from .linalg import checked, matrices, square

if TYPE_CHECKING:
    from ..annotations import Tensor

_EIG = named("linalg_eig", "eigenvalues", "eigenvectors")
_EIGH = named("linalg_eigh", "eigenvalues", "eigenvectors")
_SVD = named("linalg_svd", "U", "S", "Vh")


def _upper(UPLO: str) -> bool:
    if UPLO.upper() not in ("L", "U"):
        raise refusal.runtime(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    return UPLO.upper() == "U"


@public(namespace="linalg", autocast="float32")
def eigh(A: Tensor, UPLO: str = "L") -> Any:
    """The eigenvalues, ascending, and eigenvectors of Hermitian matrices."""
    return _EIGH(checked(P.eigh, square(A, "linalg.eigh"), upper=_upper(UPLO)))


@public(namespace="linalg", autocast="float32")
def eigvalsh(A: Tensor, UPLO: str = "L") -> Tensor:
    """The eigenvalues of Hermitian matrices, ascending."""
    return checked(P.eigh, square(A, "linalg.eigvalsh"), upper=_upper(UPLO))[0]


@public(namespace="linalg", autocast="float32")
def eig(A: Tensor) -> Any:
    """The complex eigenvalues and eigenvectors of square matrices."""
    return _EIG(checked(P.eig, square(A, "linalg.eig")))


@public(namespace="linalg", autocast="float32")
def eigvals(A: Tensor) -> Tensor:
    """The complex eigenvalues of square matrices."""
    return checked(P.eig, square(A, "linalg.eigvals"))[0]


@public(namespace="linalg", autocast="float32")
def svd(A: Tensor, full_matrices: bool = True, *, driver: str | None = None) -> Any:
    """A = U @ diag(S) @ Vh with orthonormal columns of U and rows of Vh."""
    return _SVD(checked(P.svd, matrices(A, "linalg.svd"), full=full_matrices))


@public(name="svd", autocast="float32")
def svd_method(input: Tensor, some: bool = True, compute_uv: bool = True) -> Any:
    """input = U @ diag(S) @ V.mH; `linalg.svd` is its newer form."""
    matrices(input, "linalg.svd")
    result = named("svd", "U", "S", "V")
    if not compute_uv:
        values = checked(P.svd, input, full=False)[1]
        *lead, m, n = input.shape
        return result((input.new_zeros(*lead, m, m), values, input.new_zeros(*lead, n, n)))
    u, s, vh = checked(P.svd, input, full=not some)
    return result((u, s, vh.conj().transpose(-2, -1) if vh.is_complex() else vh.transpose(-2, -1)))
