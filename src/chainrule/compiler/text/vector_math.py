"""Transcendental functions as straight-line polynomials, for any number of lanes.

All are written with a `Lanes` writer and work for float32 and float64.  The coefficients are least
squares fits at Chebyshev nodes on the reduced ranges; `tests/compiler/test_vecmath.py` measures
the largest error in ulp.  There is no branch and no float-to-int conversion that a NaN could
poison: rounding to an integer is done by adding and subtracting 1.5 * 2^mantissa.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...ops.formulas import NORMAL_STEP, NORMAL_TAIL
from .assembly import Lanes, Reg


class _Format:
    """The constants of one floating-point format."""

    def __init__(self, dtype: str) -> None:
        single = dtype == "f32"
        self.mantissa = 23 if single else 52
        self.bias = 127 if single else 1023
        self.shift = 1.5 * 2.0**self.mantissa
        self.shift_bits = 0x4B400000 if single else 0x4338000000000000
        self.ln2_high = 0.693145751953125 if single else 0.6931471805601177
        self.ln2_low = 1.428606765330187e-06 if single else -1.7239443379779562e-13
        self.exp_low = -104.0 if single else -746.0
        self.exp_high = 89.0 if single else 710.0
        self.tanh_limit = 10.0 if single else 20.0
        self.tiny = 2.0**-126 if single else 2.0**-1022
        self.sqrt_half_bits = 0x3F3504F3 if single else 0x3FE6A09E667F3BCD
        self.one_bits = self.bias << self.mantissa


_FORMATS = {"f32": _Format("f32"), "f64": _Format("f64")}
_LOG2E = 1.4426950408889634

# (exp(r) - 1 - r) / r^2 on |r| <= ln(2) / 2; relative errors 1.4e-7 and 3.5e-18.
_EXP_TAIL = {
    "f32": (
        0.5000000014291086, 0.16666573358081635, 0.041666456777923716, 0.008363776466630793,
        0.0013934544520014338,
    ),
    "f64": (
        0.5, 0.1666666666666667, 0.04166666666666668, 0.008333333333325556,
        0.0013888888888879077, 0.00019841269876826054, 2.4801587336734585e-05,
        2.7557252880754156e-06, 2.755726277498798e-07, 2.5106255716770373e-08,
        2.091837482298499e-09,
    ),
}  # fmt: skip

# (log((1 + s) / (1 - s)) - 2 s) / s^3 as a polynomial in s^2; relative errors 1.8e-9 and 3.7e-18.
_LOG_TAIL = {
    "f32": (0.6666666654433875, 0.4000012990130198, 0.2854992638646461, 0.23354365709404273),
    "f64": (
        0.6666666666666666, 0.4000000000000102, 0.28571428570719004, 0.22222222410604034,
        0.18181793650077513, 0.15386346494489148, 0.13265950036081436, 0.13115781236976132,
    ),
}  # fmt: skip

# erf(x) / x on |x| <= 1 as a polynomial in x^2; relative error 1.3e-9.
_ERF_MIDDLE = (
    1.1283791656893238, -0.3761262556740114, 0.11283582248002041, -0.02685369109999138,
    0.005188098889952685, -0.0008008189328823602, 7.847259148694368e-05,
)  # fmt: skip
# exp(z^2) erfc(z) / t on 0 <= z <= 10 as a polynomial in t = 1 / (1 + 0.44 z); relative error 2e-7.
_ERFC_STEP = 0.44
_ERFC_TAIL = (
    0.2482209346318423, 0.24887148499061046, 0.21731159158726746, 0.21581882389077225,
    -0.02019324425886168, 0.29670118254141614, -0.27795595718167626, 0.0712253655109909,
)  # fmt: skip

# pi / 2 in three parts: with fused multiply-add, multiples of it are subtracted exactly.
_HALF_PI = {
    "f32": (1.57079637050628662109375, -4.37113882867379281e-08, -1.71512451000588e-15),
    "f64": (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33),
}
# Beyond this the C library reduces the argument, lane by lane.
_REDUCED = {"f32": 1e5, "f64": 1e9}
# (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 on |r| <= pi/4 as polynomials in r^2.
_SIN_TAIL = {
    "f32": (-0.16666666663856947, 0.008333331875084542, -0.00019840086850011162,
            2.724993309388983e-06),
    "f64": (-0.16666666666666666, 0.008333333333333331, -0.00019841269841265477,
            2.7557319219603433e-06, -2.50521063099805e-08, 1.605854225239511e-10,
            -7.58725076893444e-13),
}  # fmt: skip
_COS_TAIL = {
    "f32": (0.041666666664322255, -0.001388888767223228, 2.480060043093427e-05,
            -2.730096076223883e-07),
    "f64": (0.041666666666666664, -0.0013888888888888887, 2.4801587301584632e-05,
            -2.755731922139801e-07, 2.0876755789115334e-09, -1.1470460448664592e-11,
            4.745840407566646e-14),
}  # fmt: skip


def polynomial(w: Lanes, x: Reg, coefficients: Sequence[float]) -> Reg:
    """Horner's scheme with fused multiply-add; coefficients from the constant up."""
    total = w.const(x.dtype, coefficients[-1])
    for c in reversed(coefficients[:-1]):
        total = w.fma(total, x, w.const(x.dtype, c))
    return total


def _pairwise(w: Lanes, x: Reg, square: Reg, coefficients: Sequence[float]) -> Reg:
    """A polynomial in half as many dependent steps as Horner's scheme: pairs in x, then in x^2."""
    constants = [w.const(x.dtype, c) for c in coefficients]
    pairs = [
        w.fma(constants[k + 1], x, constants[k]) if k + 1 < len(constants) else constants[k]
        for k in range(0, len(constants), 2)
    ]
    total = pairs[-1]
    for pair in reversed(pairs[:-1]):
        total = w.fma(total, square, pair)
    return total


def _reduce_by_ln2(w: Lanes, x: Reg, times: float = 1.0) -> tuple[Reg, Reg]:
    """times * x = n ln 2 + times * r, |times * r| <= ln(2)/2, for a power of two: (n, r)."""
    form = _FORMATS[x.dtype]
    shift = w.const(x.dtype, form.shift)
    shifted = w.fma(x, w.const(x.dtype, times * _LOG2E), shift)
    count = w.sub(shifted, shift)
    r = w.fma(count, w.const(x.dtype, -form.ln2_high / times), x)
    r = w.fma(count, w.const(x.dtype, -form.ln2_low / times), r)
    whole = w.bits(x.dtype)
    n = w.sub(w.bitcast(shifted, whole), w.const(whole, form.shift_bits))
    return n, r


def _power_of_two(w: Lanes, n: Reg, dtype: str) -> Reg:
    """2^n by writing the exponent field; n must be in the normal range."""
    form = _FORMATS[dtype]
    biased = w.add(n, w.const(n.dtype, form.bias))
    return w.bitcast(w.binary("shl", biased, w.const(n.dtype, form.mantissa)), dtype)


def _clamp(w: Lanes, x: Reg, low: float, high: float) -> Reg:
    """x within bounds; NaN passes because every comparison with it is false."""
    low_reg, high_reg = w.const(x.dtype, low), w.const(x.dtype, high)
    x = w.select(w.compare("lt", x, low_reg), low_reg, x)
    return w.select(w.compare("gt", x, high_reg), high_reg, x)


def exp(w: Lanes, x: Reg) -> Reg:
    """e^x, with gradual underflow and infinity on overflow."""
    form = _FORMATS[x.dtype]
    zero = w.const(x.dtype, 0.0)
    # What vanishes (a masked score) is not computed: a result that underflows costs a processor
    # a hundred cycles.
    vanishes = w.compare("lt", x, w.const(x.dtype, form.exp_low))
    high = w.const(x.dtype, form.exp_high)
    x = w.select(w.compare("gt", x, high), high, w.select(vanishes, zero, x))
    n, r = _reduce_by_ln2(w, x)
    tail = polynomial(w, r, _EXP_TAIL[x.dtype])
    one = w.const(x.dtype, 1.0)
    value = w.add(w.fma(w.mul(r, r), tail, r), one)
    # In two halves, so that neither leaves the normal range when the result does.
    half = w.binary("ashr", n, w.const(n.dtype, 1))
    value = w.mul(value, _power_of_two(w, half, x.dtype))
    value = w.mul(value, _power_of_two(w, w.sub(n, half), x.dtype))
    return w.select(vanishes, zero, value)


def expm1(w: Lanes, x: Reg) -> Reg:
    """e^x - 1 without cancellation near zero."""
    form = _FORMATS[x.dtype]
    n, r = _reduce_by_ln2(w, _clamp(w, x, -40.0, form.exp_high))
    tail = polynomial(w, r, _EXP_TAIL[x.dtype])
    small = w.fma(w.mul(r, r), tail, r)
    # 2^n (small + 1) - 1, halved inside because 2^n itself may overflow while the result fits.
    scale = _power_of_two(w, w.sub(n, w.const(n.dtype, 1)), x.dtype)
    half = w.fma(scale, small, w.sub(scale, w.const(x.dtype, 0.5)))
    result = w.add(half, half)
    # For tiny x the reduction is exact but x - 0 loses the sign of -0.
    return w.select(w.compare("eq", x, w.const(x.dtype, 0.0)), x, result)


def log(w: Lanes, x: Reg) -> Reg:
    """Natural logarithm: -inf at zero, NaN below."""
    form = _FORMATS[x.dtype]
    whole = w.bits(x.dtype)
    # Subnormal numbers are scaled up first.
    small = w.compare("lt", x, w.const(x.dtype, form.tiny))
    scaled = w.select(small, w.mul(x, w.const(x.dtype, 2.0**form.mantissa)), x)
    bits = w.bitcast(scaled, whole)
    shifted = w.sub(bits, w.const(whole, form.sqrt_half_bits))
    exponent = w.binary("ashr", shifted, w.const(whole, form.mantissa))
    cleared = w.binary("shl", exponent, w.const(whole, form.mantissa))
    f = w.sub(w.bitcast(w.sub(bits, cleared), x.dtype), w.const(x.dtype, 1.0))
    adjust = w.select(small, w.const(whole, -form.mantissa), w.const(whole, 0))
    k = w.convert(w.add(exponent, adjust), x.dtype)

    s = w.div(f, w.add(f, w.const(x.dtype, 2.0)))
    z = w.mul(s, s)
    tail = w.mul(z, polynomial(w, z, _LOG_TAIL[x.dtype]))
    # log(1 + f) = f - s (f - z P(z)): the leading term is exact.
    rest = w.fma(k, w.const(x.dtype, -form.ln2_low), w.mul(s, w.sub(f, tail)))
    value = w.fma(k, w.const(x.dtype, form.ln2_high), w.sub(f, rest))
    return _log_edges(w, x, value)


def _log_edges(w: Lanes, x: Reg, value: Reg) -> Reg:
    zero, inf = w.const(x.dtype, 0.0), w.const(x.dtype, float("inf"))
    value = w.select(w.compare("eq", x, zero), w.neg(inf), value)
    value = w.select(w.compare("lt", x, zero), w.const(x.dtype, float("nan")), value)
    value = w.select(w.compare("eq", x, inf), inf, value)
    return w.select(w.compare("uno", x, x), x, value)


def log1p(w: Lanes, x: Reg) -> Reg:
    """log(1 + x), accurate near zero: the rounding error of 1 + x is added back."""
    one = w.const(x.dtype, 1.0)
    u = w.add(x, one)
    lost = w.sub(x, w.sub(u, one))
    value = w.add(log(w, u), w.div(lost, u))
    inf = w.const(x.dtype, float("inf"))
    value = w.select(w.compare("eq", x, inf), x, value)
    value = w.select(w.compare("eq", u, w.const(x.dtype, 0.0)), w.neg(inf), value)
    return w.select(w.compare("eq", x, w.const(x.dtype, 0.0)), x, value)


def tanh(w: Lanes, x: Reg) -> Reg:
    """Hyperbolic tangent from h = expm1(2 |x|) / 2 as h / (h + 1): accurate near zero too.

    2 |x| is never formed: all is computed from |x| with constants scaled by powers of two.
    """
    form, one = _FORMATS[x.dtype], w.const(x.dtype, 1.0)
    size = w.intrinsic("fabs", x)
    limit = w.const(x.dtype, form.tanh_limit)
    size = w.select(w.compare("gt", size, limit), limit, size)
    # |x| = n ln(2) / 2 + r, so that 2 |x| is reduced to 2 r.
    n, r = _reduce_by_ln2(w, size, 2.0)
    square = w.mul(r, r)
    scaled = [c * 2.0 ** (k + 1) for k, c in enumerate(_EXP_TAIL[x.dtype])]
    small = w.fma(square, _pairwise(w, r, square, scaled), r)  # expm1(2 r) / 2
    scale = _power_of_two(w, n, x.dtype)
    half = w.fma(scale, small, w.fma(scale, w.const(x.dtype, 0.5), w.const(x.dtype, -0.5)))
    return w.intrinsic("copysign", w.div(half, w.add(half, one)), x)


def sigmoid(w: Lanes, x: Reg) -> Reg:
    """1 / (1 + e^-x) from e^-|x|, which cannot overflow."""
    one = w.const(x.dtype, 1.0)
    shrunk = exp(w, w.neg(w.intrinsic("fabs", x)))
    positive = w.compare("ge", x, w.const(x.dtype, 0.0))
    return w.div(w.select(positive, one, shrunk), w.add(shrunk, one))


def _upper_tail(w: Lanes, z: Reg) -> Reg:
    """erfc(z) for float32 z >= 0."""
    one = w.const(z.dtype, 1.0)
    # Beyond 11 all is zero; a square that is infinite would make the correction NaN.
    limit = w.const(z.dtype, 11.0)
    z = w.select(w.compare("gt", z, limit), limit, z)
    t = w.div(one, w.fma(z, w.const(z.dtype, _ERFC_STEP), one))
    square = w.mul(z, z)
    lost = w.fma(z, z, w.neg(square))  # the rounding error of the square, magnified by exp
    bell = exp(w, w.neg(square))
    bell = w.fma(bell, w.neg(lost), bell)
    return w.mul(w.mul(polynomial(w, t, _ERFC_TAIL), t), bell)


def erf(w: Lanes, x: Reg) -> Reg:
    """The error function; float64 asks the C library, lane by lane."""
    if x.dtype != "f32":
        return w.libm("erf", x)
    size = w.intrinsic("fabs", x)
    middle = w.mul(x, polynomial(w, w.mul(x, x), _ERF_MIDDLE))
    one = w.const(x.dtype, 1.0)
    outer = w.intrinsic("copysign", w.sub(one, _upper_tail(w, size)), x)
    # NaN is not below 1, and its tail is NaN too.
    return w.select(w.compare("lt", size, one), middle, outer)


def erfc(w: Lanes, x: Reg) -> Reg:
    """1 - erf(x), accurate in the upper tail; float64 asks the C library, lane by lane."""
    if x.dtype != "f32":
        return w.libm("erfc", x)
    size = w.intrinsic("fabs", x)
    tail = _upper_tail(w, size)
    below = w.compare("lt", x, w.const(x.dtype, 0.0))
    outer = w.select(below, w.sub(w.const(x.dtype, 2.0), tail), tail)
    middle = w.mul(x, polynomial(w, w.mul(x, x), _ERF_MIDDLE))
    near = w.compare("lt", size, w.const(x.dtype, 0.5))
    return w.select(near, w.sub(w.const(x.dtype, 1.0), middle), outer)


def upper_tail(w: Lanes, x: Reg, bell: Reg) -> Reg:
    """The probability of a standard normal value above |x|, given exp(-x * x / 2); float64 asks
    the C library, lane by lane."""
    half = w.const(x.dtype, 0.5)
    size = w.intrinsic("fabs", x)
    root = 0.7071067811865476
    if x.dtype != "f32":
        return w.mul(half, w.libm("erfc", w.mul(size, w.const(x.dtype, root))))
    one = w.const(x.dtype, 1.0)
    t = w.div(one, w.fma(size, w.const(x.dtype, root * NORMAL_STEP), one))
    return w.mul(w.mul(w.mul(polynomial(w, t, NORMAL_TAIL[::-1]), t), bell), half)


def sin(w: Lanes, x: Reg) -> Reg:
    """The sine."""
    return _wave(w, x, "sin", 0)


def cos(w: Lanes, x: Reg) -> Reg:
    """The cosine: the sine a quarter turn on."""
    return _wave(w, x, "cos", 1)


def near_sin(w: Lanes, x: Reg) -> Reg:
    """The sine where |x| is at most 1e5 (float64: 1e9), without a branch; beyond that anything."""
    return _reduced_wave(w, x, 0, _FORMATS[x.dtype])


def near_cos(w: Lanes, x: Reg) -> Reg:
    """The cosine, as `near_sin`."""
    return _reduced_wave(w, x, 1, _FORMATS[x.dtype])


def _wave(w: Lanes, x: Reg, name: str, turns: int) -> Reg:
    """sin(x + turns * pi / 2); few arguments are so large that the C library is asked."""
    form, f = _FORMATS[x.dtype], w.function
    size = w.intrinsic("fabs", x)
    slot = f.alloca(w.type(x.dtype))
    value = _reduced_wave(w, x, turns, form)
    f.do(f"store {w.type(x.dtype)} {value.name}, ptr {slot}")
    # NaN and infinity are not below the limit either, and the C library knows them.
    within = w.compare("le", size, w.const(x.dtype, _REDUCED[x.dtype]))
    with f.when(w.any_not(within)):
        exact = w.libm(name, x)
        merged = w.select(within, value, exact)
        f.do(f"store {w.type(x.dtype)} {merged.name}, ptr {slot}")
    return Reg(f.value(f"load {w.type(x.dtype)}, ptr {slot}"), x.dtype)


def _reduced_wave(w: Lanes, x: Reg, turns: int, form: _Format) -> Reg:
    shift = w.const(x.dtype, form.shift)
    shifted = w.fma(x, w.const(x.dtype, 0.6366197723675814), shift)
    count = w.sub(shifted, shift)
    r = x
    for part in _HALF_PI[x.dtype]:
        r = w.fma(count, w.const(x.dtype, -part), r)
    whole = w.bits(x.dtype)
    quarter = w.add(w.bitcast(shifted, whole), w.const(whole, turns - form.shift_bits))
    z = w.mul(r, r)
    sine = w.fma(w.mul(z, r), polynomial(w, z, _SIN_TAIL[x.dtype]), r)
    sine = w.select(w.compare("eq", r, w.const(x.dtype, 0.0)), x, sine)  # -0.0 keeps its sign
    half = w.mul(z, w.const(x.dtype, 0.5))
    drop = w.sub(half, w.mul(w.mul(z, z), polynomial(w, z, _COS_TAIL[x.dtype])))
    cosine = w.sub(w.const(x.dtype, 1.0), drop)
    one, two = w.const(whole, 1), w.const(whole, 2)
    odd = w.compare("eq", w.binary("and", quarter, one), one)
    value = w.select(odd, cosine, sine)
    negative = w.compare("eq", w.binary("and", quarter, two), two)
    return w.select(negative, w.neg(value), value)
