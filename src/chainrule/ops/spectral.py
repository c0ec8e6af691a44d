"""Eigenvalues and singular values.

Rules are written in ops. Eigenvectors and singular vectors of complex matrices are known up to a
phase; `phase_free` refuses a loss that depends on it. A gradient that nobody sent is None
(`materialise=False`): equal eigenvalues have derivatives, their vectors have not.
"""

from __future__ import annotations

import numpy as np

from .batching import Front
from .errors import LinAlgError
from .schema import helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


# ---- eigenvalues ---------------------------------------------------------------------------------


@op(
    vjp={"x": lambda g, what: g},
    jvp="same",
    batch="elementwise",
)
def phase_free(x, *, what):
    """x itself, after checking that it has no imaginary part: no dependence on a phase."""
    if x.dtype.kind == "c" and np.max(np.abs(x.imag), initial=0) > 1e-2:
        raise RuntimeError(
            f"{what[0]}: The {what[1]} in the complex case are specified up to multiplication by "
            f"e^{{i phi}}. The specified loss function depends on this {what[2]}, {what[3]}\n"
            "  Fix: use a loss that does not change when each vector is multiplied by a number "
            "of magnitude 1, such as one of magnitudes or of projectors v v^H."
        )
    return x


@helper
def gaps(w):
    """w_j - w_i for all pairs, with ones on the diagonal."""
    e = row(w) - column(w)
    return e + eye_like(e)


@helper
def eigh_pull(g, w, v):
    """The gradient of A from those of its eigenvalues and orthonormal eigenvectors."""
    g_w, g_v = g
    if g_v is None:
        if g_w is None:
            return blank(v)
        return matmul(v * row(g_w), mH(v))
    inner = matmul(mH(v), g_v)
    if g_dtype(v).kind == "c":
        inner = checked_diagonal(inner, ("linalg_eigh_backward", "eigenvectors", "quantity",
                                         "so it is ill-defined."))  # fmt: skip
    inner = off_diagonal(0.5 * skew(inner) / gaps(w))
    if g_w is not None:
        inner = inner + diag_matrix(g_w)
    return matmul(v, matmul(inner, mH(v)))


@helper
def checked_diagonal(x, what):
    """x, after checking its diagonal for a dependence on phases."""
    return off_diagonal(x) + diag_matrix(phase_free(diag_part(x), what=what))


@helper
def eigh_push(t, w, v):
    """The tangents of eigenvalues and eigenvectors."""
    inner = matmul(mH(v), matmul(t, v))
    return real(diag_part(inner)), matmul(v, off_diagonal(inner / gaps(w)))


@op(
    vjp={"a": lambda g, out, out1: eigh_pull(g, out, out1)},
    jvp={"a": lambda t, out, out1: eigh_push(t, out, out1)},
    n_out=2,
    materialise=False,
    batch=Front(),
    node="LinalgEighBackward0",
    refuses_values="fc",
)
def eigh(a, *, upper):
    """The eigenvalues, ascending, and eigenvectors of Hermitian matrices, read from a triangle."""
    try:
        values, vectors = np.linalg.eigh(a, UPLO="U" if upper else "L")
    except np.linalg.LinAlgError:
        raise not_converged("linalg.eigh") from None
    return values, vectors


def not_converged(name):
    """The complaint of an iterative algorithm."""
    return LinAlgError(
        f"{name}: The algorithm failed to converge because the input matrix contained non-finite "
        "values, is ill-conditioned or has too many repeated eigenvalues."
    )


@helper
def eig_pull(g, w, v):
    """The gradient of A from those of its eigenvalues and eigenvectors of length 1."""
    g_w, g_v = g
    vh = mH(v)
    if g_v is None:
        if g_w is None:
            return blank(v)
        return solved(vh, column(g_w) * vh, True)
    inner = matmul(vh, g_v)
    inner = checked_diagonal(inner, ("linalg_eig_backward", "eigenvectors", "quantity",
                                     "so it is ill-defined."))  # fmt: skip
    along = matmul(vh, v) * row(real(diag_part(inner)))
    inner = off_diagonal((inner - along) / conj(gaps(w)))
    if g_w is not None:
        inner = inner + diag_matrix(g_w)
    return solved(vh, matmul(inner, vh), True)


@helper
def eig_push(t, w, v):
    """The tangents of eigenvalues and eigenvectors; vectors keep their length."""
    inner = solved(v, matmul(t, v), True) if g_dtype(t).kind == "c" else solved(
        v, matmul(cast(t, dtype=g_dtype(v)), v), True)  # fmt: skip
    change = matmul(v, off_diagonal(inner / gaps(w)))
    along = real(reduce_sum(conj(v) * change, axis=(len(v.shape) - 2,), keepdims=True))
    return diag_part(inner), change - v * along


@op(
    vjp={"a": lambda g, out, out1: eig_pull(g, out, out1)},
    jvp={"a": lambda t, out, out1: eig_push(t, out, out1)},
    n_out=2,
    materialise=False,
    batch=Front(),
    node="LinalgEigBackward0",
    refuses_values="fc",
)
def eig(a):
    """The (complex) eigenvalues and eigenvectors of square matrices."""
    try:
        values, vectors = np.linalg.eig(a)
    except np.linalg.LinAlgError:
        if not np.all(np.isfinite(a)):
            raise LinAlgError(
                "torch.linalg.eig: input tensor should not contain infs or NaNs."
            ) from None
        raise not_converged("linalg.eig") from None
    kind = np.result_type(a.dtype, np.complex64)
    return values.astype(kind), vectors.astype(kind)


# ---- singular values -----------------------------------------------------------------------------


@helper
def skew(x):
    """x less its conjugate transpose."""
    return x - mH(x)


@helper
def thin(u, vh):
    """The columns of U and rows of V^H that belong to singular values."""
    k = min(u.shape[-2], vh.shape[-1])
    every = slice(None)
    if u.shape[-1] > k:
        u = block(u, every, slice(0, k))
    if vh.shape[-2] > k:
        vh = block(vh, slice(0, k), every)
    return u, vh


@helper
def same_size(part, like):
    """A gradient of all singular vectors cut to those that belong to singular values."""
    if part is None or tuple(part.shape) == tuple(like.shape):
        return part
    return block(part, slice(0, like.shape[-2]), slice(0, like.shape[-1]))


@helper
def svd_pull(g, u_all, s, vh_all):
    """The gradient of A = U S V^H."""
    u, vh = thin(u_all, vh_all)
    g_u, g_s, g_vh = same_size(g[0], u), g[1], same_size(g[2], vh)
    if g_u is None and g_vh is None:
        return blank(matmul(u, vh)) if g_s is None else matmul(u * row(g_s), vh)
    uu = None if g_u is None else matmul(mH(u), g_u)
    vv = None if g_vh is None else matmul(vh, mH(g_vh))
    inner = svd_inner(uu, vv, g_s, s)
    total = matmul(u, matmul(inner, vh))
    if g_u is not None and u.shape[-2] > u.shape[-1]:
        total = total + matmul((g_u - matmul(u, uu)) / row(s), vh)
    if g_vh is not None and vh.shape[-1] > vh.shape[-2]:
        total = total + matmul(u, (g_vh - matmul(mH(vv), vh)) / column(s))
    return total


@helper
def svd_inner(uu, vv, g_s, s):
    """The gradient in the basis of singular vectors, from U^H gU, V^H gV and gS."""
    e = gaps(s * s)
    inner = None
    some = uu if uu is not None else vv
    if g_dtype(some).kind == "c":
        both = diag_part(some) if uu is None or vv is None else diag_part(uu) + diag_part(vv)
        phase = phase_free(both, what=("svd_backward", "singular vectors", "phase term",
                                       "making it ill-defined."))  # fmt: skip
        if uu is not None:
            # The phase is attributed to U; the check keeps its value in the traced program.
            turn = imag(diag_part(uu)) / s
            inner = diag_matrix(make_complex(zeroed(turn), turn))
            inner = inner + diag_matrix(zeroed(phase))
    if uu is not None:
        part = off_diagonal(skew(uu) / e) * row(s)
        inner = part if inner is None else inner + part
    if vv is not None:
        part = off_diagonal(skew(vv) / e) * column(s)
        inner = part if inner is None else inner + part
    return inner if g_s is None else inner + diag_matrix(g_s)


@helper
def svd_push(t, u_all, s, vh_all):
    """The tangents of U, S and V^H."""
    u, vh = thin(u_all, vh_all)
    inner = matmul(mH(u), matmul(t, mH(vh)))
    e = gaps(s * s)
    left = off_diagonal((inner * row(s) + column(s) * mH(inner)) / e)
    right = off_diagonal((column(s) * inner + mH(inner) * row(s)) / e)
    if g_dtype(inner).kind == "c":
        turn = imag(diag_part(inner)) / s
        left = left + diag_matrix(make_complex(zeroed(turn), turn))
    t_u, t_v = matmul(u, left), matmul(mH(vh), right)
    if u.shape[-2] > u.shape[-1]:
        rest = matmul(t, mH(vh))
        t_u = t_u + (rest - matmul(u, matmul(mH(u), rest))) / row(s)
    if vh.shape[-1] > vh.shape[-2]:
        rest = matmul(mH(t), u)
        t_v = t_v + (rest - matmul(mH(vh), matmul(vh, rest))) / row(s)
    t_vh = mH(t_v)
    return (
        with_rest(t_u, u, u_all),
        real(diag_part(inner)),
        mH(with_rest(mH(t_vh), mH(vh), mH(vh_all))),
    )


@helper
def with_rest(t_u, u, u_all):
    """The tangent of all columns of a square U, so that they stay orthonormal."""
    k, n = u.shape[-1], u_all.shape[-1]
    if k == n:
        return t_u
    every = slice(None)
    others = block(u_all, every, slice(k, n))
    t_others = -matmul(u, matmul(mH(t_u), others))
    return block_fill(t_u, every, slice(0, k), n) + block_fill(t_others, every, slice(k, n), n)


@op(
    vjp={"a": lambda g, out, out1, out2: svd_pull(g, out, out1, out2)},
    jvp={"a": lambda t, out, out1, out2: svd_push(t, out, out1, out2)},
    n_out=3,
    materialise=False,
    batch=Front(),
    node="LinalgSvdBackward0",
    refuses_values="fc",
)
def svd(a, *, full):
    """A = U S V^H: singular vectors, and singular values in descending order."""
    try:
        u, s, vh = np.linalg.svd(a, full_matrices=full)
    except np.linalg.LinAlgError:
        raise not_converged("linalg.svd") from None
    return u, s, vh


@op(nondiff=("a",), batch=Front(), refuses_values="fc")
def singular_values(a):
    """The singular values in descending order, without vectors and without gradient."""
    try:
        return np.linalg.svd(a, compute_uv=False)
    except np.linalg.LinAlgError:
        raise not_converged("linalg.svd") from None
