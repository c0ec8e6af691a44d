"""Linear systems, inverses, the matrix exponential, traces and cross products.

Forwards take leading dimensions. Rules are written in ops, so every function here differentiates
to any order. `check` names the public function in whose name a singular matrix is an error; ""
lets infinities through, as the `*_ex` functions do.
"""

from __future__ import annotations

import numpy as np

from .batching import Front, Plain
from .errors import LinAlgError
from .later import Later
from .schema import helper, op

interrupts = Later(".interrupts", __package__)
lapack = Later(".lapack", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@op(nondiff=("x",), batch=Front())
def eye_like(x):
    """Identity matrices of x's shape and type."""
    out = np.zeros(x.shape, x.dtype)
    n = min(x.shape[-2:])
    out[..., np.arange(n), np.arange(n)] = 1
    return out


@helper
def diag_part(x):
    """The main diagonals of matrices."""
    n = len(x.shape)
    return diagonal(x, offset=0, axis1=n - 2, axis2=n - 1)


@helper
def diag_matrix(d):
    """Square matrices with d on their diagonals."""
    n = len(d.shape)
    return diag_embed(d, offset=0, axis1=n - 1, axis2=n)


@helper
def off_diagonal(x):
    """x with zeros on the main diagonal."""
    return tril(x, k=-1) + triu(x, k=1)


@helper
def as_matrices(x):
    """x with two dimensions of length 1 at its end, to scale matrices by."""
    return reshape(x, shape=(*x.shape, 1, 1))


@helper
def block(x, rows, columns):
    """The part of matrices given by two slices."""
    lead = (slice(None),) * (len(x.shape) - 2)
    return slice_view(x, index=(*lead, rows, columns))


# ---- triangular systems --------------------------------------------------------------------------


@helper
def triangle(x, upper, unit):
    """The part of x that a triangular solver reads."""
    if upper:
        return triu(x, k=1 if unit else 0)
    return tril(x, k=-1 if unit else 0)


@helper
def solve_triangular_a(g, a, out, upper, left, unit):
    """The gradient of A in A X = B (or X A = B)."""
    y = solve_triangular(mH(a), g, upper=not upper, left=left, unit=unit)
    full = matmul(y, mH(out)) if left else matmul(mH(out), y)
    return -triangle(full, upper, unit)


@helper
def solve_triangular_push(t, a, out, upper, left, unit):
    """The tangent of X for a tangent of A."""
    t = triangle(t, upper, unit)
    product = matmul(t, out) if left else matmul(out, t)
    return -solve_triangular(a, product, upper=upper, left=left, unit=unit)


@op(
    vjp={
        "a": lambda g, a, out, upper, left, unit: solve_triangular_a(g, a, out, upper, left, unit),
        "b": lambda g, a, upper, left, unit: solve_triangular(
            mH(a), g, upper=not upper, left=left, unit=unit
        ),
    },
    jvp={
        "a": lambda t, a, out, upper, left, unit: solve_triangular_push(
            t, a, out, upper, left, unit
        ),
        "b": lambda t, a, upper, left, unit: solve_triangular(
            a, t, upper=upper, left=left, unit=unit
        ),
    },
    broadcasts=True,
    promote="none",
    batch="leading",
    node="LinalgSolveTriangularBackward0",
)
def solve_triangular(a, b, *, upper, left, unit):
    """X of A X = B (or X A = B) for triangular matrices A."""
    return lapack.each(
        lambda m, r: lapack.solve_one_triangle(m, r, upper, left, unit), a, b
    )  # fmt: skip


# ---- linear systems and inverses -----------------------------------------------------------------


def regular_or_infinite(name, ordinary, by_lu, *arrays):
    """NumPy's routine; where a matrix is singular, by its LU factors, which gives infinities.

    Returns the result and, per matrix, the row whose pivot is zero (0: regular).
    """
    lead = np.broadcast_shapes(*(x.shape[:-2] for x in arrays))
    try:
        return ordinary(*arrays), np.zeros(lead, np.int32)
    except np.linalg.LinAlgError:
        with np.errstate(all="ignore"):
            result, info = lapack.each(by_lu, *arrays)
    if name and lapack.first_failure(info):
        raise singular(name, info)
    return result, info


def singular(name, info):
    """The complaint about a matrix without an inverse."""
    element, pivot = lapack.first_failure(info)
    where = lapack.batch_words(element)
    if "solve" in name:
        return LinAlgError(
            f"torch.{name}: {where}The solver failed because the input matrix is singular."
        )
    return LinAlgError(
        f"{name}: {where}The diagonal element {pivot} is zero, the inversion could not be "
        "completed because the input matrix is singular."
    )


def _inverse_by_lu(a):
    lu, pivots, info = lapack.factor_one(a)
    return lapack.solve_one_lu(lu, pivots, np.eye(len(a), dtype=a.dtype)), info


def _solve_by_lu(a, b):
    lu, pivots, info = lapack.factor_one(a)
    return lapack.solve_one_lu(lu, pivots, b), info


@op(
    vjp={"a": lambda g, out: -matmul(mH(out), matmul(g[0], mH(out)))},
    jvp={"a": lambda t, out: (-matmul(out, matmul(t, out)), None)},
    n_out=2,
    nondiff_out=(1,),
    batch=Front(),
    node="LinalgInvExBackward0",
    refuses_values="fc",
)
def inv_ex(a, *, check):
    """The inverses of matrices, and per matrix the row of a zero pivot (0: there is none)."""
    return regular_or_infinite(check, np.linalg.inv, _inverse_by_lu, a)


@helper
def inverse_of(a):
    """The inverse, infinite where there is none."""
    return inv_ex(a, check="")[0]


@helper
def solved(a, b, left):
    """X of A X = B (or X A = B), infinite where A is singular."""
    return solve_ex(a, b, left=left, check="")[0]


@helper
def solve_a(g, a, x, left):
    """The gradient of A in A X = B (or X A = B)."""
    y = solved(mH(a), g, left)
    return -(matmul(y, mH(x)) if left else matmul(mH(x), y))


@op(
    vjp={
        "a": lambda g, a, out, left: solve_a(g[0], a, out, left),
        "b": lambda g, a, left: solved(mH(a), g[0], left),
    },
    jvp={
        "a": lambda t, a, out, left: (
            -solved(a, matmul(t, out) if left else matmul(out, t), left),
            None,
        ),
        "b": lambda t, a, left: (solved(a, t, left), None),
    },
    n_out=2,
    nondiff_out=(1,),
    broadcasts=True,
    promote="none",
    batch="leading",
    node="LinalgSolveExBackward0",
    refuses_values="fc",
)
def solve_ex(a, b, *, left, check):
    """X of A X = B (or X A = B), and per matrix the row of a zero pivot (0: there is none)."""
    if left:
        return regular_or_infinite(check, np.linalg.solve, _solve_by_lu, a, b)
    x, info = regular_or_infinite(check, np.linalg.solve, _solve_by_lu, a.mT, b.mT)
    return np.ascontiguousarray(x.mT), info


@helper
def solved_vector(a, b):
    """x of A x = b, infinite where A is singular."""
    return solve_vector_ex(a, b, check="")[0]


@helper
def solve_vector_by_matrix(a, b, *, check):
    """A x = b as a matrix equation with one column."""
    x, info = solve_ex(a, column(b), left=True, check=check)
    return last_dropped(x), info


@op(
    vjp={
        "a": lambda g, a, out: -(column(solved_vector(mH(a), g[0])) * conj(row(out))),
        "b": lambda g, a: solved_vector(mH(a), g[0]),
    },
    jvp={
        "a": lambda t, a, out: (
            -solved_vector(a, last_dropped(matmul(t, column(out)))),
            None,
        ),
        "b": lambda t, a: (solved_vector(a, t), None),
    },
    n_out=2,
    nondiff_out=(1,),
    broadcasts=True,
    promote="none",
    batch=Plain(solve_vector_by_matrix),
    node="LinalgSolveExBackward0",
    refuses_values="fc",
)
def solve_vector_ex(a, b, *, check):
    """x of A x = b for vectors b, and per matrix the row of a zero pivot (0: there is none)."""
    x, info = solve_ex(a, b[..., None], left=True, check=check)
    return x[..., 0], info


# ---- the matrix exponential ----------------------------------------------------------------------


@helper
def exponential_direction(a, e):
    """The derivative of exp(A) in the direction E: a block of exp([[A, E], [0, A]])."""
    n = a.shape[-1]
    shape = (*a.shape[:-2], 2 * n, 2 * n)
    lead = (slice(None),) * (len(a.shape) - 2)
    first, second = slice(0, n), slice(n, 2 * n)
    whole = (
        slice_fill(a, index=(*lead, first, first), shape=shape)
        + slice_fill(e, index=(*lead, first, second), shape=shape)
        + slice_fill(a, index=(*lead, second, second), shape=shape)
    )
    return block(matrix_exp(whole), first, second)


@op(
    vjp={"a": lambda g, a: exponential_direction(mH(a), g)},
    jvp={"a": lambda t, a: exponential_direction(a, t)},
    batch=Front(),
    node="LinalgMatrixExpBackward0",
)
def matrix_exp(a):
    """The exponentials of square matrices."""
    if a.size == 0:
        return a.copy()
    interrupts.load("scipy.linalg")
    from scipy.linalg import expm

    return np.asarray(expm(a)).astype(a.dtype, copy=False)


# ---- small ones ----------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, x_shape: diagonal_fill(
        broadcast_to(column(g), shape=(*x_shape[:-2], min(x_shape[-2:]))),
        shape=x_shape, offset=0, axis1=len(x_shape) - 2, axis2=len(x_shape) - 1)},
    linear_in=("x",),
    batch=Front(),
)  # fmt: skip
def trace(x):
    """The sums of matrices' diagonals."""
    if x.dtype.itemsize == 2 and x.dtype.kind in "fV":
        return np.trace(x.astype(np.float32), axis1=-2, axis2=-1).astype(x.dtype)
    return np.trace(x, axis1=-2, axis2=-1)


@op(
    vjp={
        "a": lambda g, b, axis: cross(conj(b), g, axis=axis),
        "b": lambda g, a, axis: cross(g, conj(a), axis=axis),
    },
    linear_in=("a", "b"),
    batch=Front(axes=("axis",)),
    node="LinalgCrossBackward0",
)
def cross(a, b, *, axis):
    """The cross products of vectors of three elements along an axis."""
    first, second = (np.take(x, (1, 2, 0), axis) for x in (a, b))
    return np.take(a * second - first * b, (1, 2, 0), axis)
