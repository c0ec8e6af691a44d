"""Special functions, element by element, on SciPy's kernels.

SciPy is loaded when a function first runs. Half precision computes in float32 and rounds once.
Where PyTorch has no derivative (Bessel and Airy functions, orthogonal polynomials) these have one.
"""

from __future__ import annotations

import math

import numpy as np

from .. import ir
from .errors import check_steps
from .formulas import Formula, upper_tail
from .kernels import fast
from .later import Later
from .schema import helper, op

interrupts = Later(".interrupts", __package__)

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them

_KERNELS = {}
_NO_C_FUNCTION = ir.Extern("SciPy offers no C function of one number for it")


def kernel(name):
    """A function of scipy.special."""
    found = _KERNELS.get(name)
    if found is None:
        interrupts.load("scipy.special")
        import scipy.special

        found = _KERNELS[name] = getattr(scipy.special, name)
    return found


def evaluated(name, *xs):
    """A SciPy kernel on arrays (or numbers), in the arrays' type."""
    dtype = next(x.dtype for x in xs if isinstance(x, np.ndarray | np.generic))
    if dtype.itemsize == 2:
        xs = tuple(
            x.astype(np.float32) if isinstance(x, np.ndarray | np.generic) else x for x in xs
        )
    result = np.asarray(kernel(name)(*xs))
    return result if result.dtype == dtype else result.astype(dtype)


def _normal(x):
    """The normal distribution function in float32. Gradients of gelu need it, and SciPy takes as
    long to load as a compiled step out of the cache."""
    near = np.clip(x, -20, 20)  # nothing is left of the tails behind
    tail = upper_tail(near, np.exp(near * near * np.float32(-0.5)))
    return np.where(near > 0, 1 - tail, tail)


_OWN = {"ndtr": _normal}


def declare(name, kernel_name, doc, partial, native=False, **spec):
    """An op of one array that is a SciPy kernel and has this derivative; loops call the kernel.

    Where its lowering is more than that call, `native` makes kernels of eager code of it.
    """

    own = _OWN.get(kernel_name)
    if native:
        Formula(name, "forward")
        spec["arrays"] = {"x": Formula(name, "gradient")}

    def forward(x):
        if native:
            done = getattr(fast, name)(x)
            if done is not None:
                return done
        return evaluated(kernel_name, x) if own is None or x.dtype != np.float32 else own(x)

    forward.__name__ = forward.__qualname__ = name
    forward.__doc__ = doc
    spec.setdefault("refuses", {"c": ""})
    spec.setdefault("lower", ir.special(kernel_name, 1))
    op(name=name, partials={"x": partial}, promote="float", **spec)(forward)


@helper
def underived(what):
    """Stop: this derivative has no formula here."""
    raise NotImplementedError(
        f"the derivative for '{what}' is not implemented.\n"
        "  Fix: detach() that argument, or differentiate with respect to the other one only."
    )


@helper
def unless_near_zero(x, value, near):
    """`value`, and `near` where x is close to zero: quotients by x of what is there almost equal
    lose their digits, and those of second derivatives first."""
    return where(abs(x) < 0.01, near, value)


@helper
def away_from_zero(x):
    """x with 1 for what is close to zero, so that a quotient that is not used stays finite."""
    return where(abs(x) < 0.01, 1.0, x)


@helper
def bessel_slope(x, sign):
    """The derivative of I1 (sign 1) or J1 (sign -1) close to zero, by its series."""
    small = where(abs(x) < 0.01, x, 0.0)
    q = sign * small * small
    return 0.5 + q * (3 / 16 + q * (5 / 384 + q * (7 / 18432)))


@helper
def one_for_small(x):
    """x with 1 for what is below a half."""
    return where(abs(x) < 0.5, 1.0, x)


@helper
def unless_small(x, slope):
    """The derivative of sin(x) / x: its series below a half, where the quotient loses digits."""
    small = where(abs(x) < 0.5, x, 0.0)
    q = small * small
    near = q * (1 / 45360 - q * (1 / 3991680 - q * (1 / 518918400)))
    return where(abs(x) < 0.5, -small * (1 / 3 - q * (1 / 30 - q * (1 / 840 - near))), slope)


# ---- error functions and the normal distribution -------------------------------------------------


def _ndtr_scalar(x):
    tail = ir.upper_tail(x, ir.exp(x * x * -0.5))
    return ir.select(x >= 0, ir.sub(1.0, tail), tail)


declare(
    "erf", "erf", "The error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.",
    lambda x: 1.1283791670955126 * exp(-(x * x)), lower=ir.erf, native=True, keeps_zero=True,
    public={"aliases": ("special.erf",)},
)  # fmt: skip
declare(
    "erfc", "erfc", "1 - erf(x), without cancellation for large x.",
    lambda x: -1.1283791670955126 * exp(-(x * x)), lower=ir.erfc, native=True,
    public={"aliases": ("special.erfc",)},
)  # fmt: skip
declare(
    "erfcx", "erfcx", "exp(x^2) erfc(x), which neither overflows nor vanishes for large x.",
    lambda x, out: 2 * x * out - 1.1283791670955126, node="SpecialErfcxBackward0",
    public={"namespace": "special"},
)  # fmt: skip
declare(
    "erfinv", "erfinv", "The number whose erf is x.",
    lambda x: 0.8862269254527579 * exp(square(erfinv(x))), keeps_zero=True,
    public={"aliases": ("special.erfinv",)},
)  # fmt: skip
declare(
    "ndtr", "ndtr", "The distribution function of the standard normal distribution.",
    lambda x: 0.3989422804014327 * exp(-0.5 * x * x), node="SpecialNdtrBackward0",
    lower=ir.pointwise(_ndtr_scalar), public={"namespace": "special"},
)  # fmt: skip
declare(
    "log_ndtr", "log_ndtr", "log(ndtr(x)), accurate where ndtr(x) vanishes.",
    lambda x: 0.7978845608028654 / erfcx(x * -0.7071067811865476),
    node="SpecialLogNdtrBackward0", public={"namespace": "special"},
)  # fmt: skip
declare(
    "ndtri", "ndtri", "The number whose ndtr is x.",
    lambda out: 2.5066282746310002 * exp(0.5 * out * out),
    node="SpecialNdtriBackward0", public={"namespace": "special"},
)  # fmt: skip


# ---- gamma functions -----------------------------------------------------------------------------

_gammaln, _psi = ir.special("gammaln", 1), ir.special("psi", 1)


def _lgamma_scalar(x):
    return ir.select(ir.isinf(x), ir.absolute(x), _gammaln(x))


def _digamma_scalar(x):
    return ir.select(x == 0, -ir.copysign(float("inf"), x), _psi(x))


@op(
    partials={"x": lambda x: digamma(x)}, promote="float", refuses={"c": ""},
    lower=ir.pointwise(_lgamma_scalar), public={"aliases": ("special.gammaln",)},
)  # fmt: skip
def lgamma(x):
    """log |gamma(x)|."""
    return np.where(np.isinf(x), np.abs(x), evaluated("gammaln", x)).astype(x.dtype, copy=False)


@op(
    partials={"x": lambda x: polygamma(x, n=1)}, promote="float", refuses={"c": ""},
    lower=ir.pointwise(_digamma_scalar), public={"aliases": ("special.digamma", "special.psi")},
)  # fmt: skip
def digamma(x):
    """The derivative of log gamma(x)."""
    value = evaluated("psi", x)
    # The pole at 0 has the side that the sign of zero says; SciPy leaves the others undefined too.
    return np.where(x == 0, -np.copysign(np.inf, x), value).astype(x.dtype, copy=False)


@op(
    partials={"x": lambda x, n: polygamma(x, n=n + 1)}, promote="float", refuses={"c": ""},
    lower=ir.compose(lambda x, *, n: digamma(x) if n == 0 else None),
)  # fmt: skip
def polygamma(x, *, n):
    """The n-th derivative of digamma."""
    if n == 0:
        return digamma(x)
    wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    scale = (-1.0) ** (n + 1) * float(kernel("gamma")(n + 1.0))
    return np.asarray(scale * kernel("zeta")(wide.dtype.type(n + 1), wide)).astype(x.dtype)


@op(
    partials={"x": lambda x, p: mvdigamma(x, p)}, promote="float", refuses={"c": ""},
    lower=ir.compose(lambda x, *, p: few_lgammas(x, p)),
)  # fmt: skip
def mvlgamma(x, *, p):
    """The logarithm of the p-dimensional gamma function."""
    check_steps(p, f"mvlgamma of {p} dimensions", "use an asymptotic formula for so many.")
    total = np.full(x.shape, p * (p - 1) / 4 * np.log(np.pi), x.dtype)
    for k in range(p):
        total = total + lgamma(x - x.dtype.type(k / 2))
    return total


@helper
def few_lgammas(x, p):
    """mvlgamma in ops; None where the sum is too long to be written out."""
    if p > 8:
        return None
    total = lgamma(x) + p * (p - 1) * 0.28618247146235004  # log(pi) / 4
    for k in range(1, p):
        total = total + lgamma(x - k / 2)
    return total


@helper
def mvdigamma(x, p):
    """The derivative of mvlgamma."""
    total = digamma(x)
    for k in range(1, p):
        total = total + digamma(x - k / 2)
    return total


@helper
def gamma_density(a, x):
    """x^(a-1) exp(-x) / gamma(a): the derivative of igamma by x."""
    return exp((a - 1) * log(x) - x - lgamma(a))


@op(
    partials={
        "a": lambda a: underived("igamma: input"),
        "x": lambda a, x: gamma_density(a, x),
    },
    promote="float", refuses={"c": ""}, lower=ir.special("gammainc", 2),
    public={"aliases": ("special.gammainc",), "numbers": "none"},
)  # fmt: skip
def igamma(a, x):
    """The regularised lower incomplete gamma function P(a, x)."""
    return evaluated("gammainc", a, x)


@op(
    partials={
        "a": lambda a: underived("igammac: input"),
        "x": lambda a, x: -gamma_density(a, x),
    },
    promote="float", refuses={"c": ""}, lower=ir.special("gammaincc", 2),
    public={"aliases": ("special.gammaincc",), "numbers": "none"},
)  # fmt: skip
def igammac(a, x):
    """The regularised upper incomplete gamma function Q(a, x) = 1 - P(a, x)."""
    return evaluated("gammaincc", a, x)


@op(
    partials={"x": lambda x: underived("zeta"), "q": lambda x, q: -x * zeta(x + 1, q)},
    promote="float", refuses={"c": ""}, node="SpecialZetaBackward0", lower=_NO_C_FUNCTION,
    public={"namespace": "special", "numbers": "some"},
)  # fmt: skip
def zeta(x, q):
    """The Hurwitz zeta function, the sum of (k + q)^-x over k = 0, 1, 2, ..."""
    return evaluated("zeta", x, q)


# ---- entropy and logarithms ----------------------------------------------------------------------


def _entr_scalar(x):
    outside = ir.select(x == 0, 0.0, ir.select(ir.isnan(x), x, float("-inf")))
    return ir.select(x > 0, -x * ir.log(x), outside)


declare(
    "entr", "entr", "-x log(x): 0 at 0, minus infinity for negative x.",
    lambda x: -1 - log(x), node="SpecialEntrBackward0", lower=ir.pointwise(_entr_scalar),
    public={"namespace": "special"},
)  # fmt: skip


def _log1p_of_number(b):
    return math.log1p(b) if b > -1 else (-math.inf if b == -1 else math.nan)


@helper
def log1p_base(b, _number=_log1p_of_number):
    """log(1 + b); of a Python number in full precision, whatever the tensors' type."""
    return log1p(b) if hasattr(b, "shape") else _number(b)


@op(
    vjp={
        "a": lambda g, a, b: where((a == 0) & (b <= -1), 0.0, g * log1p_base(b)),
        "b": lambda g, a, b: g * (a / (b + 1)),
    },
    jvp="same",
    broadcasts=True, promote="float", refuses={"c": ""}, node="SpecialXlog1PyBackward0",
    lower=ir.pointwise(lambda a, b: ir.select((a == 0) & ~ir.isnan(b), 0.0, a * ir.log1p(b))),
    public={"namespace": "special", "numbers": "some"},
)  # fmt: skip
def xlog1py(a, b):
    """a log(1 + b), which is 0 where a is 0 (NaN where b is NaN)."""
    with np.errstate(all="ignore"):
        dtype = a.dtype if isinstance(a, np.ndarray) else b.dtype  # the other may be a number
        product = np.asarray(a * np.log1p(np.asarray(b, dtype)))
        return np.where((a == 0) & ~np.isnan(b), product.dtype.type(0), product)


# ---- Bessel functions ----------------------------------------------------------------------------

declare(
    "i0",
    "i0",
    "The modified Bessel function of the first kind of order 0.",
    lambda x: i1(x),
    public={"aliases": ("special.i0", "special.modified_bessel_i0")},
)
declare(
    "i0e", "i0e", "exp(-|x|) i0(x).", lambda x, out: i1e(x) - sgn(x) * out,
    node="SpecialI0EBackward0", public={"namespace": "special"},
)  # fmt: skip
declare(
    "i1", "i1", "The modified Bessel function of the first kind of order 1.",
    lambda x, out: unless_near_zero(x, i0(x) - out / away_from_zero(x), bessel_slope(x, 1)),
    node="SpecialI1Backward0",
    public={"namespace": "special", "aliases": ("special.modified_bessel_i1",)},
)  # fmt: skip
declare(
    "i1e", "i1e", "exp(-|x|) i1(x).",
    lambda x, out: unless_near_zero(
        x, i0e(x) - out / away_from_zero(x), exp(-abs(x)) * bessel_slope(x, 1)
    ) - sgn(x) * out,
    node="SpecialI1EBackward0", public={"namespace": "special"},
)  # fmt: skip
declare(
    "bessel_j0", "j0", "The Bessel function of the first kind of order 0.",
    lambda x: -bessel_j1(x), public={"namespace": "special"},
)  # fmt: skip
declare(
    "bessel_j1", "j1", "The Bessel function of the first kind of order 1.",
    lambda x, out: unless_near_zero(
        x, bessel_j0(x) - out / away_from_zero(x), bessel_slope(x, -1)
    ),
    public={"namespace": "special"},
)  # fmt: skip
declare(
    "bessel_y0", "y0", "The Bessel function of the second kind of order 0.",
    lambda x: -bessel_y1(x), public={"namespace": "special"},
)  # fmt: skip
declare(
    "bessel_y1", "y1", "The Bessel function of the second kind of order 1.",
    lambda x, out: bessel_y0(x) - out / x, public={"namespace": "special"},
)  # fmt: skip
declare(
    "modified_bessel_k0", "k0", "The modified Bessel function of the second kind of order 0.",
    lambda x: -modified_bessel_k1(x), public={"namespace": "special"},
)  # fmt: skip
declare(
    "modified_bessel_k1", "k1", "The modified Bessel function of the second kind of order 1.",
    lambda x, out: -modified_bessel_k0(x) - out / x, public={"namespace": "special"},
)  # fmt: skip
declare(
    "scaled_modified_bessel_k0", "k0e", "exp(x) modified_bessel_k0(x).",
    lambda x, out: out - scaled_modified_bessel_k1(x), public={"namespace": "special"},
)  # fmt: skip
declare(
    "scaled_modified_bessel_k1", "k1e", "exp(x) modified_bessel_k1(x).",
    lambda x, out: out - scaled_modified_bessel_k0(x) - out / x, public={"namespace": "special"},
)  # fmt: skip


@op(
    partials={"x": lambda x, out: unless_small(x, (cos(x) - out) / one_for_small(x))},
    promote="float", refuses={"c": ""},
    lower=ir.pointwise(
        lambda x: ir.select(ir.isinf(x), 0.0, ir.select(x == 0, 1.0, ir.sin(x) / x)),
    ), public={"namespace": "special"},
)  # fmt: skip
def spherical_bessel_j0(x):
    """sin(x) / x, 1 at 0 and 0 at infinity."""
    with np.errstate(all="ignore"):
        value = np.where(x == 0, x.dtype.type(1), np.sin(x) / x)
        return np.where(np.isinf(x), x.dtype.type(0), value)


@op(
    partials={"x": lambda x: airy_slope(x)}, promote="float", refuses={"c": ""},
    lower=_NO_C_FUNCTION, public={"namespace": "special"},
)  # fmt: skip
def airy_ai(x):
    """The Airy function Ai."""
    return airy_part(x, 0)


@op(
    partials={"x": lambda x: x * airy_ai(x)}, promote="float", refuses={"c": ""},
    lower=_NO_C_FUNCTION,
)  # fmt: skip
def airy_slope(x):
    """The derivative of the Airy function Ai."""
    return airy_part(x, 1)


def airy_part(x, which):
    """Ai (0) or its derivative (1)."""
    wide = x.astype(np.float32) if x.dtype.itemsize == 2 else x
    return np.asarray(kernel("airy")(wide)[which]).astype(x.dtype, copy=False)


# ---- orthogonal polynomials ----------------------------------------------------------------------

# family: (p1 as slope and offset, k -> factors of p_k = (a x + b) p_{k-1} + c p_{k-2}); p0 is 1.
RECURRENCES = {
    "chebyshev_polynomial_t": ((1, 0), lambda k: (2, 0, -1)),
    "chebyshev_polynomial_u": ((2, 0), lambda k: (2, 0, -1)),
    "chebyshev_polynomial_v": ((2, -1), lambda k: (2, 0, -1)),
    "chebyshev_polynomial_w": ((2, 1), lambda k: (2, 0, -1)),
    "shifted_chebyshev_polynomial_t": ((2, -1), lambda k: (4, -2, -1)),
    "shifted_chebyshev_polynomial_u": ((4, -2), lambda k: (4, -2, -1)),
    "shifted_chebyshev_polynomial_v": ((4, -3), lambda k: (4, -2, -1)),
    "shifted_chebyshev_polynomial_w": ((4, -1), lambda k: (4, -2, -1)),
    "hermite_polynomial_h": ((2, 0), lambda k: (2, 0, -2 * (k - 1))),
    "hermite_polynomial_he": ((1, 0), lambda k: (1, 0, -(k - 1))),
    "laguerre_polynomial_l": ((-1, 1), lambda k: (-1 / k, (2 * k - 1) / k, -(k - 1) / k)),
    "legendre_polynomial_p": ((1, 0), lambda k: ((2 * k - 1) / k, 0, -(k - 1) / k)),
}


@op(
    partials={
        "x": lambda x, n, family, order: polynomial(x, n, family=family, order=order + 1),
        "n": lambda n: zeroed(n),
    },
    promote="float", refuses={"c": ""}, refuses_values="biuf",
    lower=ir.Extern("it takes as many steps as the largest degree says"),
)  # fmt: skip
def polynomial(x, n, *, family, order):
    """The `order`-th derivative of the polynomial of degree n (its whole part) of a family."""
    dtype = next(a.dtype for a in (x, n) if isinstance(a, np.ndarray))
    x, n = np.broadcast_arrays(x, n)
    degree = np.nan_to_num(n.astype(np.float64)).clip(-1, 2.0**62).astype(np.int64)
    wide = x.astype(np.float32 if dtype.itemsize == 2 else dtype)
    out = np.zeros(x.shape, wide.dtype)
    top = int(degree.max(initial=-1))
    check_steps(top, f"{family} of degree {top}", "use an asymptotic formula for such degrees.")
    for k, values in zip(range(top + 1), derivatives(wide, family, order), strict=False):
        np.copyto(out, values, where=degree == k)
    return out.astype(dtype, copy=False)


def derivatives(x, family, order):
    """The `order`-th derivatives of the polynomials of degree 0, 1, 2, ... at x.

    Each step keeps all lower derivatives: that of p_k needs those of p_{k-1} and p_{k-2}.
    """
    (slope, offset), factors = RECURRENCES[family]
    zero = np.zeros_like(x)
    one = zero + 1
    before = [one] + [zero] * order
    now = [slope * x + offset, one * slope] + [zero] * order
    yield before[order]
    k = 1
    while True:
        yield now[order]
        k += 1
        a, b, c = factors(k)
        after = []
        for d in range(order + 1):
            value = (a * x + b) * now[d] + c * before[d]
            after.append(value + d * a * now[d - 1] if d else value)
        before, now = now, after
