"""Determinants, with derivatives that are right for singular matrices too.

The derivative of a determinant by an element is that element's cofactor; cofactors and their own
derivatives are sums of products of singular values, so no inverse is needed. Regular matrices take
the shorter way through the inverse.
"""

from __future__ import annotations

import numpy as np

from .batching import Front
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@op(
    vjp={"a": lambda g, a: as_matrices(g) * conj(cofactors(a))},
    jvp={"a": lambda t, a: elements_sum(cofactors(a) * t)},
    batch=Front(),
    node="LinalgDetBackward0",
)
def det(a):
    """The determinants of matrices."""
    return np.linalg.det(a)


@helper
def elements_sum(x):
    """The sums of matrices' elements."""
    n = len(x.shape)
    return reduce_sum(x, axis=(n - 2, n - 1), keepdims=False)


@op(
    vjp={"a": lambda g, a: conj(det_hessian(a, conj(g)))},
    jvp={"a": lambda t, a: det_hessian(a, t)},
    batch=Front(),
)
def cofactors(a):
    """The derivatives of the determinant by each element, singular matrices included."""
    inverse, d = safe_inverse(a)
    if inverse is not None and d is not None:
        return d[..., None, None] * inverse.mT
    u, s, vh = factors(a)
    others = products_without(s, 1)
    sign = (np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    return sign * (u.conj() * others[..., None, :]) @ vh.conj()


def factors(a):
    """The singular value decomposition; of what has none (NaN, infinity) all is NaN."""
    try:
        return np.linalg.svd(a)
    except np.linalg.LinAlgError:
        unknown = ~np.isfinite(a).all((-2, -1))
        found = np.linalg.svd(np.where(unknown[..., None, None], 0, a))
        return tuple(
            np.where(
                unknown.reshape(unknown.shape + (1,) * (part.ndim - unknown.ndim)), np.nan, part
            )
            for part in found
        )


def safe_inverse(a):
    """(inverse, determinant) where all matrices are well conditioned, else (None, None)."""
    try:
        inverse = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return None, None
    size = np.abs(a).sum(-1).max(-1, initial=0) * np.abs(inverse).sum(-1).max(-1, initial=0)
    if not np.all(size < np.finfo(a.dtype).eps ** -0.5):
        return None, None
    return inverse, np.linalg.det(a)


def products_without(s, count):
    """The products of all s but one (count 1), or but a pair (count 2), exact where s is 0."""
    n = s.shape[-1]
    skip = np.eye(n, dtype=bool)
    if count == 2:
        skip = skip[:, None, :] | skip[None, :, :]
    lead = (None,) * count
    return np.prod(np.where(skip, s.dtype.type(1), s[(..., *lead, slice(None))]), axis=-1)


@op(
    vjp={
        "a": lambda g, a, e: conj(det_third(a, e, conj(g))),
        "e": lambda g, a: conj(det_hessian(a, conj(g))),
    },
    jvp={"a": lambda t, a, e: det_third(a, e, t), "e": lambda t, a: det_hessian(a, t)},
    batch=Front(),
)
def det_hessian(a, e):
    """The derivative of the cofactors of A in the direction E, singular matrices included."""
    inverse, d = safe_inverse(a)
    if inverse is not None and d is not None:
        w = inverse.mT
        c = d[..., None, None] * w
        trace = np.sum(w * e, axis=(-2, -1))[..., None, None]
        return trace * c - c @ e.mT @ w
    u, s, vh = factors(a)
    n = s.shape[-1]
    inner = u.conj().mT @ e @ vh.conj().mT
    pairs = products_without(s, 2) * ~np.eye(n, dtype=bool)
    out = -inner.mT * pairs
    diagonal = np.diagonal(inner, axis1=-2, axis2=-1)
    out[..., np.arange(n), np.arange(n)] = np.einsum("...ij,...j->...i", pairs, diagonal)
    sign = (np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    return sign * (u.conj() @ out @ vh.conj())


@helper
def det_third(a, e, f):
    """The derivative of det_hessian(A, E) in the direction F, for regular A."""
    w = mT(inverse_of(a))
    c = cofactors(a)
    change = det_hessian(a, f)
    turned = matmul(w, matmul(mT(f), w))
    return (
        as_matrices(elements_sum(w * e)) * change
        - as_matrices(elements_sum(turned * e)) * c
        - matmul(change, matmul(mT(e), w))
        + matmul(c, matmul(mT(e), turned))
    )


@helper
def slogdet_pull(g, a, sign):
    """The gradient of A from those of the determinant's sign and logarithm."""
    factor = g[1]
    if g_dtype(a).kind == "c" and g[0] is not None:
        turn = imag(conj(g[0]) * sign)
        size = zeroed(turn) if factor is None else factor
        factor = make_complex(size, -turn)
    if factor is None:
        return blank(a)
    return as_matrices(factor) * mH(inverse_of(a))


@helper
def slogdet_push(t, a, sign):
    """The tangents of the determinant's sign and logarithm."""
    z = elements_sum(mT(inverse_of(a)) * t)
    if g_dtype(a).kind != "c":
        return zeroed(sign), z
    return sign * make_complex(zeroed(real(z)), imag(z)), real(z)


@op(
    vjp={"a": lambda g, a, out: slogdet_pull(g, a, out)},
    jvp={"a": lambda t, a, out: slogdet_push(t, a, out)},
    n_out=2,
    materialise=False,
    batch=Front(),
    node="LinalgSlogdetBackward0",
)
def slogdet(a):
    """The sign (or phase) of determinants and the logarithm of their magnitude."""
    sign, size = np.linalg.slogdet(a)
    return np.asarray(sign), np.asarray(size)
