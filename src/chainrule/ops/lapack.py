"""LAPACK and BLAS routines on arrays with leading (batch) dimensions.

NumPy's `linalg` is used where it has the routine and batches it; SciPy's wrappers, one matrix at a
time, for the rest. SciPy is imported when a routine is first asked for.
"""

from __future__ import annotations

import numpy as np

from . import interrupts

_PREFIX = {"f": "s", "d": "d", "F": "c", "D": "z"}
_ROUTINES = {}


def routine(name, dtype):
    """The LAPACK (or, with a leading dot, BLAS) routine for a type; "orgqr" also for complex."""
    key = name, dtype.char
    found = _ROUTINES.get(key)
    if found is None:
        interrupts.load("scipy.linalg")
        from scipy.linalg import blas, lapack

        plain = name.lstrip(".")
        if dtype.kind == "c" and plain.startswith("or"):
            plain = "un" + plain[2:]
        library = blas if name.startswith(".") else lapack
        found = _ROUTINES[key] = getattr(library, _PREFIX[dtype.char] + plain)
    return found


def each(function, *arrays, own: int | tuple[int, ...] = 2):
    """`function` on every matrix of arrays whose leading dimensions broadcast; stacked results.

    `own` is how many last dimensions belong to the function: a number, or one per array.
    """
    counts = (own,) * len(arrays) if isinstance(own, int) else own
    leads = [a.shape[: a.ndim - k] for a, k in zip(arrays, counts, strict=True)]
    lead = np.broadcast_shapes(*leads)
    if not lead:
        return function(*arrays)
    full = [
        np.broadcast_to(a, lead + a.shape[a.ndim - k :])
        for a, k in zip(arrays, counts, strict=True)
    ]
    if 0 in lead:
        return _nothing(function, full, counts, lead)
    results = [function(*(a[i] for a in full)) for i in np.ndindex(lead)]
    if not isinstance(results[0], tuple):
        return _stacked(results, lead)
    return tuple(_stacked(column, lead) for column in zip(*results, strict=True))


def _stacked(values, lead):
    whole = np.stack([np.asarray(v) for v in values])
    return whole.reshape(lead + whole.shape[1:])


def _nothing(function, arrays, counts, lead):
    """Results for an empty batch: shapes and types as those of one matrix of the right shape."""
    ones = [
        (np.eye(*a.shape[-2:]) if k == 2 else np.ones(a.shape[a.ndim - k :])).astype(a.dtype)
        for a, k in zip(arrays, counts, strict=True)
    ]
    results = function(*ones)
    if not isinstance(results, tuple):
        results = np.asarray(results)
        return np.zeros(lead + results.shape, results.dtype)
    parts = [np.asarray(r) for r in results]
    return tuple(np.zeros(lead + r.shape, r.dtype) for r in parts)


# ---- triangular and LU, one matrix ---------------------------------------------------------------


def solve_one_triangle(a, b, upper, left, unit):
    """X of A X = B (or X A = B) for triangular A; zeros on the diagonal divide, as in IEEE."""
    if b.size == 0 or a.shape[-1] == 0:
        return np.zeros(b.shape, b.dtype)
    solve = routine(".trsm", b.dtype)
    x = solve(1.0, a, b, side=0 if left else 1, lower=0 if upper else 1, diag=1 if unit else 0)
    return np.ascontiguousarray(x)


def factor_one(a):
    """(LU, pivots counted from 1, info) of one matrix."""
    rows, columns = a.shape
    if a.size == 0:
        return a.copy(), np.zeros(min(rows, columns), np.int32), np.zeros((), np.int32)
    lu, pivots, info = routine("getrf", a.dtype)(a)
    return np.ascontiguousarray(lu), (pivots + 1).astype(np.int32), np.asarray(info, np.int32)


def row_order(pivots, rows):
    """The order of rows that the row exchanges of an LU factorisation lead to."""
    order = np.arange(rows)
    for i, p in enumerate(pivots):
        order[[i, p - 1]] = order[[p - 1, i]]
    return order


def permutation_one(pivots, rows, dtype):
    """P of A = P L U from the row exchanges."""
    out = np.zeros((rows, rows), dtype)
    out[row_order(pivots, rows), np.arange(rows)] = 1
    return out


def solve_one_lu(lu, pivots, b, left=True, adjoint=False):
    """X of A X = B (or X A = B; A^H for adjoint) from A's LU factorisation."""
    if not left:  # X A = B  <=>  A^H X^H = B^H
        return solve_one_lu(lu, pivots, b.conj().T, True, not adjoint).conj().T
    order = row_order(pivots, lu.shape[0])
    if not adjoint:
        y = solve_one_triangle(lu, b[order], False, True, True)
        return solve_one_triangle(lu, y, True, True, False)
    upper = np.ascontiguousarray(lu.conj().T)
    y = solve_one_triangle(upper, b, False, True, False)
    out = np.empty_like(y)
    out[order] = solve_one_triangle(upper, y, True, True, True)
    return out


def first_failure(info):
    """(batch element or None, info) of the first matrix that failed; None when none did."""
    if not np.any(info):
        return None
    if info.ndim == 0:
        return None, int(info)
    k = int(np.argmax(info.reshape(-1) != 0))
    return k, int(info.reshape(-1)[k])


def batch_words(element):
    """`(Batch element 3): `, or nothing for a single matrix."""
    return "" if element is None else f"(Batch element {element}): "
