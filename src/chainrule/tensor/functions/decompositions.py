"""Cholesky, QR, LU and LDL with PyTorch's signatures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import refusal
from ...autograd.expected import expect_within
from ...autograd.value import bottom
from ..api import public
from ..return_types import named
from .common import P
from .linalg import checked, matrices, same_solver_type, same_type, square, type_word

if TYPE_CHECKING:
    from ..annotations import Tensor

# ---- Cholesky ------------------------------------------------------------------------------------


@public(namespace="linalg", autocast="float32")
def cholesky(A: Tensor, *, upper: bool = False) -> Tensor:
    """The lower (or upper) triangular factor of positive-definite matrices."""
    name = "linalg.cholesky"
    return checked(P.cholesky_ex, square(A, name), upper=upper, check=name)[0]


@public(namespace="linalg", autocast="float32")
def cholesky_ex(A: Tensor, *, upper: bool = False, check_errors: bool = False) -> Any:
    """The factor, and per matrix the order of the first minor that is not positive (0: none)."""
    name = "linalg.cholesky_ex"
    check = name if check_errors else ""
    result = named("linalg_cholesky_ex", "L", "info")
    return result(checked(P.cholesky_ex, square(A, name), upper=upper, check=check))


@public(name="cholesky", autocast="float32")
def cholesky_method(input: Tensor, upper: bool = False) -> Tensor:
    """The triangular factor of positive-definite matrices; `linalg.cholesky` is newer."""
    square(input, "cholesky")
    return checked(P.cholesky_ex, input, upper=upper, check="cholesky")[0]


@public(autocast="float32")
def cholesky_solve(input: Tensor, L: Tensor, upper: bool = False) -> Tensor:
    """X of A X = input from the triangular factor L of A."""
    matrices(input, "cholesky_solve", "b")
    square(L, "cholesky_solve")
    if input.shape[-2] != L.shape[-1]:
        raise refusal.runtime(
            "Incompatible matrix sizes for cholesky_solve: each A matrix is "
            f"{L.shape[-1]} by {L.shape[-1]} but each b matrix is {input.shape[-2]} by "
            f"{input.shape[-1]}"
        )
    same_solver_type(input, L, "cholesky_solve")
    return P.cholesky_solve(input, L, upper=upper)


@public(autocast="float32")
def cholesky_inverse(input: Tensor, upper: bool = False) -> Tensor:
    """The inverse of A from its triangular factor."""
    return checked(P.cholesky_inverse, square(input, "cholesky_inverse"), upper=upper)


# ---- QR and reflectors ---------------------------------------------------------------------------


@public(namespace="linalg", autocast="float32")
def qr(A: Tensor, mode: str = "reduced") -> Any:
    """A = Q R with orthonormal columns of Q and upper triangular R."""
    if mode not in ("reduced", "complete", "r"):
        raise refusal.runtime(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), "
            "'r', or 'complete'"
        )
    return named("linalg_qr", "Q", "R")(P.qr(matrices(A, "linalg.qr"), mode=mode))


@public(name="qr", autocast="float32")
def qr_method(input: Tensor, some: bool = True) -> Any:
    """input = Q R; `linalg.qr` is its newer form."""
    mode = "reduced" if some else "complete"
    return named("qr", "Q", "R")(P.qr(matrices(input, "linalg.qr"), mode=mode))


@public(autocast="float32")
def geqrf(input: Tensor) -> Any:
    """R and, below the diagonal, the reflectors whose product is Q; and their scales."""
    return named("geqrf", "a", "tau")(P.geqrf(matrices(input, "geqrf", "input")))


@public(namespace="linalg", autocast="float32")
def householder_product(A: Tensor, tau: Tensor) -> Tensor:
    """The first columns of the product of reflectors, as `geqrf` gives them."""
    name = "torch.linalg.householder_product"
    matrices(A, name)
    if A.shape[-2] < A.shape[-1]:
        raise refusal.runtime(
            f"{name}: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    if A.shape[-1] < tau.shape[-1]:
        raise refusal.runtime(
            f"{name}: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    if tau.dtype is not A.dtype:
        raise refusal.runtime(
            f"{name}: tau dtype {type_word(tau)} does not match input dtype {type_word(A)}",
            fix="convert one with .to(dtype).",
        )
    return P.householder_product(A, tau)


@public(name="orgqr", autocast="float32")
def orgqr_method(input: Tensor, input2: Tensor) -> Tensor:
    """The first columns of the product of reflectors; `linalg.householder_product`."""
    return householder_product(input, input2)


@public(autocast="float32")
def ormqr(
    input: Tensor, tau: Tensor, other: Tensor, left: bool = True, transpose: bool = False
) -> Tensor:
    """Q (or its conjugate transpose) times other, Q being the product of reflectors."""
    matrices(input, "torch.ormqr", "input")
    for what, x in (("tau", tau), ("other", other)):
        if x.dtype is not input.dtype:
            raise refusal.runtime(
                f"torch.ormqr: Expected input and {what} to have the same dtype, but input has "
                f"{type_word(input)} and {what} has {type_word(x)}",
                fix="convert one with .to(dtype).",
            )
    side = other.shape[-2 if left else -1]
    if side != input.shape[-2]:
        raise refusal.runtime(
            f"torch.ormqr: other.shape[{-2 if left else -1}] must be equal to input.shape[-2], got "
            f"{side} and {input.shape[-2]}"
        )
    count = min(side, input.shape[-1])
    if tau.shape[-1] != count:
        raise refusal.runtime(
            "torch.ormqr: tau.shape[-1] must be equal to min(other.shape[-2], input.shape[-1]), "
            f"got {tau.shape[-1]} and {count}",
            fix="pass input and tau as geqrf gives them.",
        )
    if not count:
        return other.clone()
    vectors = input.tril(-1) + P.eye_like(input)
    result = other if left else _adjoint(other)
    # Q = H1 H2 ... Hk; on the right, (other Q)^H = Q^H other^H.
    adjoint = transpose if left else not transpose
    order = range(tau.shape[-1]) if adjoint else reversed(range(tau.shape[-1]))
    for i in order:
        v, scale = vectors[..., i : i + 1], tau[..., i : i + 1].unsqueeze(-1)
        scale = scale.conj() if adjoint and scale.is_complex() else scale
        result = result - P.matmul(v, P.matmul(_adjoint(v), result)) * scale
    return result if left else _adjoint(result)


def _adjoint(x: Any) -> Any:
    turned = x.transpose(-2, -1)
    return turned.conj() if x.is_complex() else turned


# ---- LU ------------------------------------------------------------------------------------------


def _pivoting(pivot: bool) -> None:
    if not pivot:
        raise refusal.runtime(
            "linalg.lu_factor: LU without pivoting is not implemented on the CPU",
            fix="drop pivot=.",
        )


@public(namespace="linalg")
def lu(A: Tensor, *, pivot: bool = True) -> Any:
    """P, L and U of A = P L U."""
    _pivoting(pivot)
    return named("linalg_lu", "P", "L", "U")(P.lu(matrices(A, "linalg.lu")))


@public(namespace="linalg")
def lu_factor(A: Tensor, *, pivot: bool = True) -> Any:
    """L and U in one matrix, and the row exchanges (counted from 1)."""
    _pivoting(pivot)
    matrices(A, "linalg.lu_factor")
    factors = checked(P.lu_factor_ex, A, check="torch.linalg.lu_factor")
    return named("linalg_lu_factor", "LU", "pivots")(factors[:2])


@public(namespace="linalg")
def lu_factor_ex(A: Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """L and U in one matrix, the row exchanges, and the first zero pivot (0: none)."""
    _pivoting(pivot)
    matrices(A, "linalg.lu_factor_ex")
    check = "torch.linalg.lu_factor_ex" if check_errors else ""
    result = named("linalg_lu_factor_ex", "LU", "pivots", "info")
    return result(checked(P.lu_factor_ex, A, check=check))


@public(name="lu")
def lu_method(A: Tensor, pivot: bool = True, get_infos: bool = False) -> tuple[Tensor, ...]:
    """L and U in one matrix and the row exchanges; `linalg.lu_factor` is newer."""
    _pivoting(pivot)
    factors = P.lu_factor_ex(matrices(A, "lu"), check="")
    return tuple(factors) if get_infos else tuple(factors[:2])


def _check_pivots(pivots: Any, rows: int, phrase: str) -> None:
    """Raise when a row to exchange with, counted from 1, is none."""
    pivots = bottom(pivots)
    values = pivots._a
    if pivots._level is not None or values.__class__ is not np.ndarray or not values.size:
        return
    expect_within(pivots, 1, rows)
    low, high = values.min(), values.max()
    if low < 1 or high > rows:
        raise refusal.runtime(
            f"{phrase}: they are {low} to {high}, and LU has {rows} rows",
            fix="pass the result of lu_factor unchanged.",
        )


@public(method=False)
def lu_unpack(
    LU_data: Tensor, LU_pivots: Tensor, unpack_data: bool = True, unpack_pivots: bool = True
) -> Any:
    """P, L and U from `lu_factor`'s results; what is not asked for is empty."""
    empty = LU_data.detach().reshape(-1)[:0]
    low, up = P.lu_unpack(LU_data) if unpack_data else (empty, empty)
    if unpack_pivots:
        _check_pivots(
            LU_pivots,
            LU_data.shape[-2],
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive",
        )
    p = P.permutation(LU_pivots, LU_data.detach()) if unpack_pivots else empty
    return named("lu_unpack", "P", "L", "U")((p, low, up))


@public(namespace="linalg")
def lu_solve(
    LU: Tensor, pivots: Tensor, B: Tensor, *, left: bool = True, adjoint: bool = False
) -> Tensor:
    """X of A X = B (X A = B; A^H for adjoint) from `lu_factor`'s results."""
    name = "linalg.lu_solve"
    square(LU, name, "LU")
    same_type(LU, B, name)
    if B.ndim < 2 or B.shape[-2 if left else -1] != LU.shape[-1]:
        equation = "AX = B" if left else "XA = B"
        raise refusal.runtime(
            f"{name}: Incompatible shapes of A and B for the equation {equation} "
            f"({LU.shape[-2]}x{LU.shape[-1]} and {'x'.join(map(str, B.shape))})"
        )
    _check_pivots(
        pivots,
        LU.shape[-2],
        "Pivots given to lu_solve must all be greater or equal to 1 and smaller or equal to "
        "LU.size(-2)",
    )
    return P.lu_solve(LU, pivots, B, left=left, adjoint=adjoint)


@public(name="lu_solve", autocast="float32")
def lu_solve_method(input: Tensor, LU_data: Tensor, LU_pivots: Tensor) -> Tensor:
    """X of A X = input from `lu_factor`'s results."""
    return lu_solve(LU_data, LU_pivots, input)


# ---- LDL -----------------------------------------------------------------------------------------


@public(namespace="linalg")
def ldl_factor(A: Tensor, *, hermitian: bool = False) -> Any:
    """L and D of A = L D L^T in one matrix, and the row exchanges."""
    factors = P.ldl_factor_ex(square(A, "torch.linalg.ldl_factor"), hermitian=hermitian)
    return named("linalg_ldl_factor", "LD", "pivots")(factors[:2])


@public(namespace="linalg")
def ldl_factor_ex(A: Tensor, *, hermitian: bool = False, check_errors: bool = False) -> Any:
    """L and D of A = L D L^T in one matrix, the row exchanges, and an error code."""
    result = named("linalg_ldl_factor_ex", "LD", "pivots", "info")
    return result(
        P.ldl_factor_ex(square(A, "torch.linalg.ldl_factor_ex"), hermitian=hermitian)
    )  # fmt: skip


@public(namespace="linalg")
def ldl_solve(LD: Tensor, pivots: Tensor, B: Tensor, *, hermitian: bool = False) -> Tensor:
    """X of A X = B from `ldl_factor`'s results."""
    square(LD, "torch.linalg.ldl_solve", "LD")
    matrices(B, "torch.linalg.ldl_solve", "B")
    same_solver_type(B, LD, "linalg.ldl_solve")
    return P.ldl_solve(LD, pivots, B, hermitian=hermitian)
