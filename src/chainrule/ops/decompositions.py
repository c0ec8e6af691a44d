"""Factorisations by triangular and orthogonal matrices: Cholesky, QR, reflectors, LDL."""

from __future__ import annotations

import numpy as np

from .. import ir
from .batching import Front
from .errors import LinAlgError, Refusal
from .later import Later
from .schema import helper, op

lapack = Later(".lapack", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


# ---- Cholesky ------------------------------------------------------------------------------------


@helper
def lower_half(x):
    """The lower triangle of x with its diagonal halved: half of a Hermitian matrix."""
    return tril(x, k=-1) + 0.5 * diag_matrix(diag_part(x))


@helper
def cholesky_pull(g, factor, upper):
    """The gradient of A = L L^H (or U^H U)."""
    low, g = (mH(factor), mH(g)) if upper else (factor, g)
    inner = matmul(mH(low), g)
    inner = tril(inner, k=0) + mH(tril(inner, k=-1))
    half = solve_triangular(mH(low), inner, upper=True, left=True, unit=False)
    return 0.5 * solve_triangular(low, half, upper=False, left=False, unit=False)


@helper
def cholesky_push(t, factor, upper):
    """The tangent of the factor."""
    low = mH(factor) if upper else factor
    inner = solve_triangular(low, t, upper=False, left=True, unit=False)
    inner = solve_triangular(mH(low), inner, upper=True, left=False, unit=False)
    change = matmul(low, lower_half(inner))
    return mH(change) if upper else change


@op(
    vjp={"a": lambda g, out, upper: cholesky_pull(g[0], out, upper)},
    jvp={"a": lambda t, out, upper: (cholesky_push(t, out, upper), None)},
    n_out=2,
    nondiff_out=(1,),
    batch=Front(),
    node="LinalgCholeskyExBackward0",
    refuses_values="fc",
)
def cholesky_ex(a, *, upper, check):
    """The triangular factor of positive-definite matrices; the order of a failing minor, or 0."""
    try:
        factor = np.linalg.cholesky(a, upper=upper)
        return factor, np.zeros(a.shape[:-2], np.int32)
    except np.linalg.LinAlgError:
        factor, info = lapack.each(lambda m: _cholesky_one(m, upper), a)
    failure = lapack.first_failure(info)
    if check and failure:
        raise LinAlgError(
            f"{check}: {lapack.batch_words(failure[0])}The factorization could not be completed "
            "because the input is not positive-definite (the leading minor of order "
            f"{failure[1]} is not positive-definite)."
        )
    return factor, info


def _cholesky_one(a, upper):
    factor, info = lapack.routine("potrf", a.dtype)(a, lower=0 if upper else 1, clean=1)
    return np.ascontiguousarray(factor), np.asarray(info, np.int32)


@op(
    vjp={
        "b": lambda g, low, upper: cholesky_solve(g, low, upper=upper),
        "low": lambda g, low, out, upper: cholesky_solve_factor(g, low, out, upper),
    },
    jvp={
        "b": lambda t, low, upper: cholesky_solve(t, low, upper=upper),
        "low": lambda t, low, out, upper: cholesky_solve_push(t, low, out, upper),
    },
    broadcasts=True,
    promote="none",
    batch="elementwise",
    lower=ir.Extern("LAPACK solves it"),
    types=lambda b, low, **rest: [
        ((*np.broadcast_shapes(b.shape[:-2], low.shape[:-2]), *b.shape[-2:]), b.dtype)
    ],
)
def cholesky_solve(b, low, *, upper):
    """X of L L^H X = B (or U^H U X = B)."""
    first = low.conj().mT if upper else low
    half = lapack.each(lambda m, r: lapack.solve_one_triangle(m, r, False, True, False), first, b)
    second = low if upper else low.conj().mT
    return lapack.each(
        lambda m, r: lapack.solve_one_triangle(m, r, True, True, False), second, half
    )


@helper
def cholesky_solve_factor(g, low, x, upper):
    """The gradient of the factor in cholesky_solve."""
    y = cholesky_solve(g, low, upper=upper)
    both = matmul(y, mH(x)) + matmul(x, mH(y))
    return -(matmul(low, both) if upper else matmul(both, low))


@helper
def cholesky_solve_push(t, low, x, upper):
    """The tangent of X for a tangent of the factor."""
    first, second = (mH(t), low) if upper else (t, mH(low))
    change = matmul(first, matmul(second, x)) + matmul(mH(second), matmul(mH(first), x))
    return -cholesky_solve(change, low, upper=upper)


@op(
    vjp={"low": lambda g, low, out, upper: cholesky_inverse_pull(g, low, out, upper)},
    jvp={"low": lambda t, low, out, upper: cholesky_inverse_push(t, low, out, upper)},
    batch=Front(),
    refuses_values="fc",
)
def cholesky_inverse(low, *, upper):
    """The inverse of L L^H (or U^H U)."""
    zeros = np.argwhere(np.diagonal(low, axis1=-2, axis2=-1) == 0)
    if len(zeros):
        *which, row = zeros[0].tolist()
        flat = int(np.ravel_multi_index(which, low.shape[:-2])) if which else None
        raise LinAlgError(
            f"cholesky_inverse: {lapack.batch_words(flat)}The diagonal element {row + 1} is zero, "
            "the inversion could not be completed because the input matrix is singular."
        )
    unit = np.broadcast_to(np.eye(low.shape[-1], dtype=low.dtype), low.shape)
    return cholesky_solve(unit, low, upper=upper)


@helper
def cholesky_inverse_pull(g, low, out, upper):
    """The gradient of the factor in cholesky_inverse."""
    both = matmul(out, matmul(g + mH(g), out))
    return -(matmul(low, both) if upper else matmul(both, low))


@helper
def cholesky_inverse_push(t, low, out, upper):
    """The tangent of the inverse for a tangent of the factor."""
    half = matmul(mH(t), low) if upper else matmul(t, mH(low))
    return -matmul(out, matmul(half + mH(half), out))


# ---- QR ------------------------------------------------------------------------------------------


@helper
def qr_sizes(q, r, mode):
    """Rows and columns of A = Q R; refuses modes whose factors do not determine a derivative."""
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
            "Please use linalg.qr(A, mode='reduced') if you are going to differentiate through "
            "linalg.qr."
        )
    rows, columns = q.shape[-2], r.shape[-1]
    if mode == "complete" and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols: "
            f"here {rows} > {columns}, and the last columns of Q are arbitrary. Fix: use "
            "mode='reduced'."
        )
    return rows, columns


@helper
def hermitian_from_upper(x):
    """The Hermitian matrix with the upper triangle of x (and the real part of its diagonal)."""
    up = triu(x, k=1)
    middle = diag_part(x)
    if g_dtype(x).kind == "c":
        middle = cast(real(middle), dtype=g_dtype(x))
    return up + mH(up) + diag_matrix(middle)


@helper
def qr_pull(g, q, r, mode):
    """The gradient of A = Q R."""
    rows, columns = qr_sizes(q, r, mode)
    g_q, g_r = g
    if rows >= columns:
        return qr_tall_pull(g_q, g_r, q, r)
    # A = [A1 | A2] with A1 square: R2 = Q^H A2 depends on A1 through Q.
    first, second = slice(0, rows), slice(rows, columns)
    every = slice(None)
    r1, r2 = block(r, every, first), block(r, every, second)
    if g_r is None:
        g_a1 = qr_tall_pull(g_q, None, q, r1)
        return block_fill(g_a1, every, first, columns)
    g_r2 = block(g_r, every, second)
    turned = matmul(q, matmul(r2, mH(g_r2)))
    g_q = turned if g_q is None else g_q + turned
    g_a1 = qr_tall_pull(g_q, block(g_r, every, first), q, r1)
    return block_fill(g_a1, every, first, columns) + block_fill(
        matmul(q, g_r2), every, second, columns
    )


@helper
def block_fill(x, rows, columns, width):
    """Zeros of `width` columns with x in the given ones."""
    lead = (slice(None),) * (len(x.shape) - 2)
    return slice_fill(x, index=(*lead, rows, columns), shape=(*x.shape[:-1], width))


@helper
def qr_tall_pull(g_q, g_r, q, r):
    """The gradient of A = Q R for at least as many rows as columns."""
    inner = None
    if g_r is not None:
        inner = matmul(g_r, mH(r))
    if g_q is not None:
        turned = matmul(mH(q), g_q)
        inner = -turned if inner is None else inner - turned
    if inner is None:
        return blank(matmul(q, r))
    full = matmul(q, hermitian_from_upper(inner))
    full = full if g_q is None else full + g_q
    return solve_triangular(mH(r), full, upper=False, left=False, unit=False)


@helper
def qr_push(t, q, r, mode):
    """The tangents of Q and R."""
    rows, columns = qr_sizes(q, r, mode)
    every, first, second = slice(None), slice(0, rows), slice(rows, columns)
    wide = rows < columns
    t1, r1 = (block(t, every, first), block(r, every, first)) if wide else (t, r)
    scaled_t = solve_triangular(r1, t1, upper=True, left=False, unit=False)
    c = matmul(mH(q), scaled_t)
    low = tril(c, k=-1)
    middle = diag_part(c)
    if g_dtype(c).kind == "c":
        middle = cast(real(middle), dtype=g_dtype(c))
    up = triu(c, k=1) + mH(low) + diag_matrix(middle)
    t_q = scaled_t - matmul(q, up)
    t_r = matmul(up, r1)
    if wide:
        r2, t2 = block(r, every, second), block(t, every, second)
        t_r2 = matmul(mH(t_q), matmul(q, r2)) + matmul(mH(q), t2)
        t_r = block_fill(t_r, every, first, columns) + block_fill(t_r2, every, second, columns)
    return t_q, t_r


@op(
    vjp={"a": lambda g, out, out1, mode: qr_pull(g, out, out1, mode)},
    jvp={"a": lambda t, out, out1, mode: qr_push(t, out, out1, mode)},
    n_out=2,
    materialise=False,
    batch=Front(),
    node="LinalgQrBackward0",
)
def qr(a, *, mode):
    """A = Q R with orthonormal columns of Q and upper triangular R."""
    if mode == "r":
        return np.zeros(0, a.dtype), np.linalg.qr(a, mode="r")
    q, r = np.linalg.qr(a, mode=mode)
    return q, r


# ---- Householder reflectors ----------------------------------------------------------------------


@helper
def reflectors(a):
    """The vectors of reflectors: ones on the diagonal, what a has below it."""
    return tril(a, k=-1) + eye_like(a)


@helper
def column_at(x, i):
    """Column i of matrices, as matrices."""
    n = len(x.shape)
    return slice_axis(x, axis=n - 1, start=i, stop=i + 1, step=1)


@helper
def reflected(x, v, tau):
    """(I - tau v v^H) x."""
    return x - matmul(v, matmul(mH(v), x)) * tau


@helper
def householder_pull(g, a, tau):
    """The gradients of the vectors and scales of a product of reflectors."""
    count = tau.shape[-1]
    vectors = reflectors(a)
    scales = [row(column_at(tau, i)) for i in range(count)]
    after = [eye_like(a)]  # the products of the later reflectors
    for i in range(count - 1, 0, -1):
        after.append(reflected(after[-1], column_at(vectors, i), scales[i]))
    after.reverse()
    g_vectors, g_scales = [], []
    for i in range(count):
        v, t, rest = column_at(vectors, i), scales[i], after[i]
        seen, pulled = matmul(mH(v), rest), matmul(mH(v), g)
        g_scales.append(-reduce_sum(conj(seen) * pulled, axis=(len(g.shape) - 1,), keepdims=False))
        g_vectors.append(-(matmul(g, mH(seen)) * conj(t) + matmul(rest, mH(pulled)) * t))
        g = reflected(g, v, conj(t))
    if not count:
        return blank(a), blank(tau)
    last = len(a.shape) - 1
    g_a = cat(*g_vectors, axis=last)
    if count < a.shape[-1]:
        g_a = block_fill(g_a, slice(None), slice(0, count), a.shape[-1])
    return tril(g_a, k=-1), cat(*g_scales, axis=len(tau.shape) - 1)


@helper
def householder_push(t_a, t_tau, a, tau):
    """The tangent of a product of reflectors."""
    vectors, t_vectors = reflectors(a), tril(t_a, k=-1)
    made, t_made = eye_like(a), blank(a)
    for i in range(tau.shape[-1] - 1, -1, -1):
        v, t_v = column_at(vectors, i), column_at(t_vectors, i)
        scale, t_scale = row(column_at(tau, i)), row(column_at(t_tau, i))
        seen = matmul(mH(v), made)
        change = matmul(t_v, seen) + matmul(v, matmul(mH(t_v), made))
        t_made = reflected(t_made, v, scale) - change * scale - matmul(v, seen) * t_scale
        made = reflected(made, v, scale)
    return t_made


@op(
    joint=lambda g, mask, a, tau: householder_pull(g, a, tau),
    jvp=lambda t_a, t_tau, a, tau: householder_push(t_a, t_tau, a, tau),
    batch=Front(),
    node="LinalgHouseholderProductBackward0",
)
def householder_product(a, tau):
    """The first columns of the product of the reflectors I - tau_i v_i v_i^H."""
    if a.size == 0:
        return a.copy()
    return lapack.each(_reflectors_one, a, tau, own=(2, 1))


def _reflectors_one(a, tau):
    if not len(tau):
        return np.eye(*a.shape, dtype=a.dtype)
    q, _, _ = lapack.routine("orgqr", a.dtype)(a, tau)
    return np.ascontiguousarray(q)


@op(
    vjp={"a": lambda g: underived("geqrf")},
    n_out=2,
    batch=Front(),
)
def geqrf(a):
    """R above and reflectors below the diagonal, and the reflectors' scales."""
    h, tau = np.linalg.qr(a, mode="raw")
    return np.ascontiguousarray(h.mT), tau


# ---- LDL -----------------------------------------------------------------------------------------


@op(
    vjp={"a": lambda g: underived("linalg_ldl_factor_ex")},
    n_out=3,
    nondiff_out=(1, 2),
    batch=Front(),
)
def ldl_factor_ex(a, *, hermitian):
    """L and D of A = L D L^T (L^H) in one matrix, the row exchanges, and an error code."""
    name = "hetrf" if hermitian and a.dtype.kind == "c" else "sytrf"
    return lapack.each(lambda m: _ldl_one(m, name), a)


def _ldl_one(a, name):
    if a.size == 0:
        return a.copy(), np.zeros(0, np.int32), np.zeros((), np.int32)
    factor, pivots, info = lapack.routine(name, a.dtype)(a, lower=1)
    return np.tril(factor), np.asarray(pivots, np.int32), np.asarray(info, np.int32)


def _are_pivots(pivots, rows):
    """Whether they name rows from 1 on, negative ones (two by two on the diagonal) in pairs."""
    named = np.abs(pivots)
    if pivots.shape[-1] != rows or (named < 1).any() or (named > rows).any():
        return False
    open_pair = np.zeros(pivots.shape[:-1], bool)
    for k in range(rows):
        below = pivots[..., k] < 0
        if (open_pair & ~below).any():
            return False
        open_pair = below & ~open_pair
    return not open_pair.any()


@op(
    vjp={"factor": lambda g: underived("linalg_ldl_solve"),
         "b": lambda g: underived("linalg_ldl_solve")},
    nondiff=("pivots",),
    batch="loop",
    refuses_values="iu",
)  # fmt: skip
def ldl_solve(factor, pivots, b, *, hermitian):
    """X of A X = B from A's LDL factorisation."""
    name = "hetrs" if hermitian and b.dtype.kind == "c" else "sytrs"
    if pivots.dtype.kind not in "iu":
        raise Refusal(
            "torch.linalg.ldl_solve: Expected pivots to be integers. Got " + pivots.dtype.name,
            "pass the pivots of ldl_factor as they are.",
        )
    if not _are_pivots(pivots.astype(np.int64), factor.shape[-1]):
        # LAPACK trusts them: it would read and write wherever they point.
        raise Refusal(
            f"Pivots given to ldl_solve must all satisfy |pivot| >= 1 and |pivot| <= LD.size(-2): "
            f"those of shape {list(pivots.shape)} are not of a matrix of {factor.shape[-1]} rows. "
            "Each must name one of them, counted from 1, negative ones in pairs",
            "pass the pivots of ldl_factor as they are.",
        )

    def one(m, p, r):
        if not r.size:
            return r.copy()
        x, _ = lapack.routine(name, r.dtype)(m, p, r, lower=1)
        return np.ascontiguousarray(x)

    return lapack.each(one, factor, pivots, b, own=(2, 1, 2))
