"""Pseudo-inverses and least squares, differentiated along changes that keep the rank."""

from __future__ import annotations

import numpy as np

from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@helper
def minus_product(x, y):
    """I - X Y."""
    product = matmul(x, y)
    return eye_like(product) - product


@helper
def pinv_pull(g, a, p):
    """The gradient of A in its pseudo-inverse P, for changes that keep the rank."""
    gh, ph = mH(g), mH(p)
    left = matmul(minus_product(a, p), matmul(gh, matmul(p, ph)))
    right = matmul(matmul(ph, p), matmul(gh, minus_product(p, a)))
    return left + right - matmul(ph, matmul(g, ph))


@helper
def pinv_push(t, a, p):
    """The tangent of the pseudo-inverse P, for changes that keep the rank."""
    th, ph = mH(t), mH(p)
    left = matmul(matmul(p, ph), matmul(th, minus_product(a, p)))
    right = matmul(minus_product(p, a), matmul(th, matmul(ph, p)))
    return left + right - matmul(p, matmul(t, p))


@op(
    vjp={"a": lambda g, a, out: pinv_pull(g, a, out)},
    jvp={"a": lambda t, a, out: pinv_push(t, a, out)},
    nondiff=("atol", "rtol"),
    batch="loop",
    node="LinalgPinvBackward0",
    refuses_values="fc",
)
def pinv(a, atol, rtol, *, hermitian):
    """The pseudo-inverse; singular values at most max(atol, rtol * the largest) count as zero."""
    if a.size == 0:
        return np.zeros((*a.shape[:-2], a.shape[-1], a.shape[-2]), a.dtype)
    if hermitian:
        values, u = np.linalg.eigh(a)
        vh = u.conj().mT
    else:
        u, values, vh = np.linalg.svd(a, full_matrices=False)
    size = np.abs(values)
    cutoff = np.maximum(atol[..., None], rtol[..., None] * size.max(-1, keepdims=True))
    with np.errstate(divide="ignore"):
        inverse = np.where(size > cutoff, 1 / values, 0).astype(values.dtype)
    return (vh.conj().mT * inverse[..., None, :]) @ u.conj().mT


@helper
def best_inverse(a, rcond):
    """The pseudo-inverse that least squares use."""
    zero = zeroed(real(reduce_sum(a, axis=tuple(range(len(a.shape))), keepdims=False)))
    return pinv(a, zero, zero + rcond, hermitian=False)


@helper
def has_residuals(r, x):
    """Whether residuals were computed: one per column of every solution."""
    return tuple(r.shape) == (*x.shape[:-2], x.shape[-1])


@helper
def lstsq_a(g, a, b, x, rcond):
    """The gradient of A in least squares, from the solution and the residuals."""
    total = None
    if g[0] is not None:
        total = pinv_pull(matmul(g[0], mH(b)), a, best_inverse(a, rcond))
    if g[1] is not None and has_residuals(g[1], x):
        part = matmul((matmul(a, x) - b) * row(2 * g[1]), mH(x))
        total = part if total is None else total + part
    return blank(a) if total is None else total


@helper
def lstsq_b(g, a, b, x, rcond):
    """The gradient of B in least squares, from the solution and the residuals."""
    total = None
    if g[0] is not None:
        total = matmul(mH(best_inverse(a, rcond)), g[0])
    if g[1] is not None and has_residuals(g[1], x):
        part = (b - matmul(a, x)) * row(2 * g[1])
        total = part if total is None else total + part
    return blank(b) if total is None else total


@helper
def lstsq_push(t_a, t_b, a, b, x, residuals, rcond):
    """The tangents of the solution and the residuals."""
    p = best_inverse(a, rcond)
    t_x = matmul(pinv_push(t_a, a, p), b) + matmul(p, t_b)
    if not has_residuals(residuals, x):
        return t_x, blank(residuals), None, None
    rest = matmul(a, x) - b
    change = matmul(t_a, x) - t_b
    both = real(conj(rest) * change)
    return t_x, 2 * reduce_sum(both, axis=(len(b.shape) - 2,), keepdims=False), None, None


@op(
    vjp={
        "a": lambda g, a, b, out, rcond: lstsq_a(g, a, b, out, rcond),
        "b": lambda g, a, b, out, rcond: lstsq_b(g, a, b, out, rcond),
    },
    jvp=lambda t_a, t_b, a, b, out0, out1, rcond: lstsq_push(t_a, t_b, a, b, out0, out1, rcond),
    n_out=4,
    nondiff_out=(2, 3),
    materialise=False,
    broadcasts=True,
    promote="none",
    batch="loop",
    node="LinalgLstsqBackward0",
    refuses_values="fc",
)
def lstsq(a, b, *, rcond, residuals):
    """The solution of least squares, the residuals when asked for, ranks and singular values."""
    u, s, vh = np.linalg.svd(a, full_matrices=False)
    kept = s > rcond * s.max(-1, initial=0, keepdims=True)
    with np.errstate(divide="ignore"):
        inverse = np.where(kept, 1 / s, 0).astype(s.dtype)
    x = vh.conj().mT @ (inverse[..., None] * (u.conj().mT @ b))
    rank = kept.sum(-1)
    rest = np.zeros(0, s.dtype)
    if residuals and a.shape[-2] > a.shape[-1] and np.all(rank == a.shape[-1]):
        rest = np.sum(np.abs(a @ x - b) ** 2, axis=-2)
    return x, rest, np.asarray(rank, np.int64), s
