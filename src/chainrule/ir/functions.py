"""The named scalar functions: each is a lowering by itself and callable inside a body.

`lower=ir.tanh` and `ir.pointwise(lambda x: x * ir.tanh(x))` use the same object.
"""

from __future__ import annotations

from .lowering import Function, Pointwise
from .scalar import Expr, Number, apply

# One array.
neg = Function("neg", 1)
absolute = Function("abs", 1)
sign = Function("sign", 1)
exp = Function("exp", 1)
exp2 = Function("exp2", 1)
expm1 = Function("expm1", 1)
log = Function("log", 1)
log2 = Function("log2", 1)
log10 = Function("log10", 1)
log1p = Function("log1p", 1)
sqrt = Function("sqrt", 1)
rsqrt = Function("rsqrt", 1)
reciprocal = Function("reciprocal", 1)
square = Function("square", 1)
sin = Function("sin", 1)
cos = Function("cos", 1)
tan = Function("tan", 1)
asin = Function("asin", 1)
acos = Function("acos", 1)
atan = Function("atan", 1)
sinh = Function("sinh", 1)
cosh = Function("cosh", 1)
tanh = Function("tanh", 1)
asinh = Function("asinh", 1)
acosh = Function("acosh", 1)
atanh = Function("atanh", 1)
sigmoid = Function("sigmoid", 1)
relu = Function("relu", 1)
erf = Function("erf", 1)
erfc = Function("erfc", 1)
floor = Function("floor", 1)
ceil = Function("ceil", 1)
trunc = Function("trunc", 1)
round_half_even = Function("round", 1)
isnan = Function("isnan", 1)
isinf = Function("isinf", 1)
isfinite = Function("isfinite", 1)
logical_not = Function("logical_not", 1)
bitwise_not = Function("not", 1)

# Two arrays.
add = Function("add", 2)
sub = Function("sub", 2)
mul = Function("mul", 2)
div = Function("div", 2)
floor_div = Function("floor_div", 2)
remainder = Function("remainder", 2)
fmod = Function("fmod", 2)
nextafter = Function("nextafter", 2)
power = Function("pow", 2)
maximum = Function("maximum", 2)
minimum = Function("minimum", 2)
atan2 = Function("atan2", 2)
hypot = Function("hypot", 2)
copysign = Function("copysign", 2)
upper_tail = Function(
    "upper_tail", 2
)  # of the normal distribution above |x|, given exp(-x * x / 2)
bitwise_and = Function("and", 2)
bitwise_or = Function("or", 2)
bitwise_xor = Function("xor", 2)
logical_and = Function("logical_and", 2)
logical_or = Function("logical_or", 2)
logical_xor = Function("logical_xor", 2)
shift_left = Function("shift_left", 2)
shift_right = Function("shift_right", 2)
eq = Function("eq", 2)
ne = Function("ne", 2)
lt = Function("lt", 2)
le = Function("le", 2)
gt = Function("gt", 2)
ge = Function("ge", 2)

# Three arrays: condition first, as in `where`.
select = Function("select", 3)
where = select


# The result's dtype does the work: a body's value is converted to it, whatever the body is.
def _same(x: Expr) -> Expr:
    return x


cast = Pointwise(_same)
identity = cast


def special(kernel: str, arity: int) -> Function:
    """A function of `scipy.special` of real numbers, by its name there: called, not written out."""
    return Function(f"special.{kernel}", arity)


def clamp(x: Expr, low: Number | None, high: Number | None) -> Expr:
    """`x` kept within the given bounds; NaN stays NaN."""
    if low is not None:
        x = apply("maximum", x, low)
    if high is not None:
        x = apply("minimum", x, high)
    return x
