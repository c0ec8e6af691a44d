"""LU factorisations with row exchanges: A = P L U. Pivots count from 1, as in LAPACK."""

from __future__ import annotations

import numpy as np

from .batching import Front
from .errors import LinAlgError
from .later import Later
from .schema import helper, op

lapack = Later(".lapack", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@op(nondiff=("pivots", "like"), batch="loop")
def permutation(pivots, like):
    """P of A = P L U, in the type of `like`, whose rows it permutes."""
    rows = like.shape[-2]
    return lapack.each(lambda p: lapack.permutation_one(p, rows, like.dtype), pivots, own=1)


@helper
def split_factors(lu):
    """L with ones on its diagonal and U, from one matrix that holds both."""
    k = min(lu.shape[-2:])
    every, first = slice(None), slice(0, k)
    low = block(lu, every, first)
    return tril(low, k=-1) + eye_like(low), triu(block(lu, first, every), k=0)


@helper
def from_left(low, x):
    """L^-H X."""
    return solve_triangular(mH(low), x, upper=True, left=True, unit=True)


@helper
def from_right(x, up):
    """X U^-H."""
    return solve_triangular(mH(up), x, upper=False, left=False, unit=False)


@helper
def lu_pull(g_l, g_u, p, low, up):
    """The gradient of A = P L U."""
    rows, columns = low.shape[-2], up.shape[-1]
    k = min(rows, columns)
    every, first = slice(None), slice(0, k)
    low1, up1 = block(low, first, every), block(up, every, first)
    g_l1, g_u1 = block(g_l, first, every), block(g_u, every, first)
    below = matmul(mH(low1), g_l1)
    above = matmul(g_u1, mH(up1))
    if columns > k:
        g_u2 = block(g_u, every, slice(k, columns))
        below = below - matmul(g_u2, mH(block(up, every, slice(k, columns))))
    if rows > k:
        g_l2 = block(g_l, slice(k, rows), every)
        above = above - matmul(mH(block(low, slice(k, rows), every)), g_l2)
    square = from_right(from_left(low1, tril(below, k=-1) + triu(above, k=0)), up1)
    if columns > k:
        rest = from_left(low1, g_u2)
        square = cat(square, rest, axis=len(square.shape) - 1)
    if rows > k:
        square = cat(square, from_right(g_l2, up1), axis=len(square.shape) - 2)
    return matmul(p, square)


@helper
def lu_push(t, p, low, up):
    """The tangents of L and U."""
    rows, columns = low.shape[-2], up.shape[-1]
    k = min(rows, columns)
    every, first = slice(None), slice(0, k)
    t = matmul(mT(p), t)
    low1, up1 = block(low, first, every), block(up, every, first)
    inner = solve_triangular(
        low1, block(t, first, first), upper=False, left=True, unit=True
    )  # fmt: skip
    inner = solve_triangular(up1, inner, upper=True, left=False, unit=False)
    t_l, t_u = matmul(low1, tril(inner, k=-1)), matmul(triu(inner, k=0), up1)
    if columns > k:
        right = block(t, every, slice(k, columns))
        change = right - matmul(t_l, block(up, every, slice(k, columns)))
        rest = solve_triangular(low1, change, upper=False, left=True, unit=True)
        t_u = cat(t_u, rest, axis=len(t_u.shape) - 1)
    if rows > k:
        bottom = block(t, slice(k, rows), every)
        change = bottom - matmul(block(low, slice(k, rows), every), t_u)
        rest = solve_triangular(up1, change, upper=True, left=False, unit=False)
        t_l = cat(t_l, rest, axis=len(t_l.shape) - 2)
    return t_l, t_u


@helper
def joined_factors(low, up):
    """One matrix with L below the diagonal and U on and above it."""
    low = tril(low, k=-1)
    rows, columns = low.shape[-2], up.shape[-1]
    if columns > low.shape[-1]:
        low = block_fill(low, slice(None), slice(0, low.shape[-1]), columns)
    if rows > up.shape[-2]:
        lead = (slice(None),) * (len(up.shape) - 2)
        index = (*lead, slice(0, up.shape[-2]), slice(None))
        up = slice_fill(up, index=index, shape=(*up.shape[:-2], rows, columns))
    return low + up


@helper
def lu_factor_pull(g, lu, pivots):
    """The gradient of A from that of its factors in one matrix."""
    low, up = split_factors(lu)
    k = min(lu.shape[-2:])
    g_l = tril(block(g, slice(None), slice(0, k)), k=-1)
    g_u = triu(block(g, slice(0, k), slice(None)), k=0)
    return lu_pull(g_l, g_u, permutation(pivots, lu), low, up)


@helper
def lu_factor_push(t, lu, pivots):
    """The tangent of the factors in one matrix."""
    low, up = split_factors(lu)
    return joined_factors(*lu_push(t, permutation(pivots, lu), low, up))


@op(
    vjp={"a": lambda g, out, out1: lu_factor_pull(g[0], out, out1)},
    jvp={"a": lambda t, out, out1: (lu_factor_push(t, out, out1), None, None)},
    n_out=3,
    nondiff_out=(1, 2),
    batch=Front(),
    node="LinalgLuFactorExBackward0",
    refuses_values="fc",
)
def lu_factor_ex(a, *, check):
    """L and U in one matrix, the row exchanges, and the first zero pivot (0: none)."""
    lu, pivots, info = lapack.each(lapack.factor_one, a)
    failure = lapack.first_failure(info)
    if check and failure:
        k = failure[1]
        raise LinAlgError(
            f"{check}: {lapack.batch_words(failure[0])}U[{k},{k}] is zero and using it on lu_solve "
            "would result in a division by zero. If you still want to perform the factorization, "
            "consider calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)"
        )
    return lu, pivots, info


@helper
def lu_three_pull(g, p, low, up):
    """The gradient of A from those of L and U, either of which may be missing."""
    g_l = blank(low) if g[1] is None else tril(g[1], k=-1)
    g_u = blank(up) if g[2] is None else triu(g[2], k=0)
    return lu_pull(g_l, g_u, p, low, up)


@op(
    vjp={"a": lambda g, out, out1, out2: lu_three_pull(g, out, out1, out2)},
    jvp={"a": lambda t, out, out1, out2: (None, *lu_push(t, out, out1, out2))},
    n_out=3,
    nondiff_out=(0,),
    materialise=False,
    batch=Front(),
    node="LinalgLuBackward0",
)
def lu(a):
    """P, L and U of A = P L U."""
    return lapack.each(_lu_one, a)


def _lu_one(a):
    factors, pivots, _ = lapack.factor_one(a)
    k = min(a.shape)
    low = np.tril(factors[:, :k], -1) + np.eye(a.shape[0], k, dtype=a.dtype)
    return lapack.permutation_one(pivots, a.shape[0], a.dtype), low, np.triu(factors[:k])


@helper
def lu_unpack_pull(g, low_shape, up_shape):
    """The gradient of the matrix that holds both factors."""
    rows, columns = low_shape[-2], up_shape[-1]
    total = None
    if g[0] is not None:
        total = tril(g[0], k=-1)
        if columns > low_shape[-1]:
            total = block_fill(total, slice(None), slice(0, low_shape[-1]), columns)
    if g[1] is None:
        return total
    up = triu(g[1], k=0)
    if rows > up_shape[-2]:
        lead = (slice(None),) * (len(up_shape) - 2)
        index = (*lead, slice(0, up_shape[-2]), slice(None))
        up = slice_fill(up, index=index, shape=(*up_shape[:-2], rows, columns))
    return up if total is None else total + up


@op(
    vjp={"lu": lambda g, out_shape, out1_shape: lu_unpack_pull(g, out_shape, out1_shape)},
    jvp={"lu": lambda t: unpacked_tangent(t)},
    n_out=2,
    materialise=False,
    batch=Front(),
)
def lu_unpack(lu):
    """L and U from the matrix that holds both."""
    k = min(lu.shape[-2:])
    low = np.tril(lu[..., :k], -1) + np.eye(lu.shape[-2], k, dtype=lu.dtype)
    return low, np.triu(lu[..., :k, :])


@helper
def unpacked_tangent(t):
    """The tangents of L and U from that of the matrix that holds both."""
    k = min(t.shape[-2:])
    return (
        tril(block(t, slice(None), slice(0, k)), k=-1),
        triu(block(t, slice(0, k), slice(None)), k=0),
    )


# ---- solving with factors ------------------------------------------------------------------------


@helper
def lu_solve_factors(g, lu, pivots, x, left, adjoint):
    """The gradient of the factors in lu_solve."""
    if not left:  # X A = B  <=>  A^H X^H = B^H
        return lu_solve_factors(mH(g), lu, pivots, mH(x), True, not adjoint)
    p = permutation(pivots, lu)
    low, up = split_factors(lu)
    if not adjoint:
        g_y = solve_triangular(mH(up), g, upper=False, left=True, unit=False)
        g_b = from_left(low, g_y)
        y = matmul(up, x)
        return -(tril(matmul(g_b, mH(y)), k=-1) + triu(matmul(g_y, mH(x)), k=0))
    turned = matmul(mT(p), x)
    g_y = solve_triangular(low, matmul(mT(p), g), upper=False, left=True, unit=True)
    g_b = solve_triangular(up, g_y, upper=True, left=True, unit=False)
    y = matmul(mH(low), turned)
    return -(tril(matmul(turned, mH(g_y)), k=-1) + triu(matmul(y, mH(g_b)), k=0))


@helper
def lu_solve_push(t, lu, pivots, x, left, adjoint):
    """The tangent of X for a tangent of the factors."""
    low, up = split_factors(lu)
    change = matmul(tril(t, k=-1), up) + matmul(low, triu(t, k=0))
    change = matmul(permutation(pivots, lu), change)
    change = mH(change) if adjoint else change
    moved = matmul(change, x) if left else matmul(x, change)
    return -lu_solve(lu, pivots, moved, left=left, adjoint=adjoint)


@op(
    vjp={
        "lu": lambda g, lu, pivots, out, left, adjoint: lu_solve_factors(
            g, lu, pivots, out, left, adjoint
        ),
        "b": lambda g, lu, pivots, left, adjoint: lu_solve(
            lu, pivots, g, left=left, adjoint=not adjoint
        ),
    },
    jvp={
        "lu": lambda t, lu, pivots, out, left, adjoint: lu_solve_push(
            t, lu, pivots, out, left, adjoint
        ),
        "b": lambda t, lu, pivots, left, adjoint: lu_solve(
            lu, pivots, t, left=left, adjoint=adjoint
        ),
    },
    nondiff=("pivots",),
    broadcasts=True,
    promote="none",
    batch="loop",
    node="LinalgLuSolveBackward0",
)
def lu_solve(lu, pivots, b, *, left, adjoint):
    """X of A X = B (X A = B; A^H for adjoint) from A's LU factorisation."""
    return lapack.each(
        lambda m, p, r: np.ascontiguousarray(lapack.solve_one_lu(m, p, r, left, adjoint)),
        lu, pivots, b, own=(2, 1, 2),
    )  # fmt: skip
