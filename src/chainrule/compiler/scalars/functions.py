"""What one element of a loop may compute: scalar functions by name, written as LLVM assembly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..machine.scipy_functions import scipy_function
from ..text import vector_math
from ..text.assembly import FLOATS, HALVES, ITEM_BYTES, Lanes, Reg


class Node(NamedTuple):
    """One scalar operation of the kernel; `args` are positions in the node list."""

    op: str
    args: tuple[int, ...]
    dtype: str
    value: Any = None


# ---- scalar functions --------------------------------------------------------------------------

Emit = Callable[..., Reg]
SPECIAL = "special."  # begins the names of SciPy's functions


def maximum(w: Lanes, a: Reg, b: Reg) -> Reg:
    """The larger; NaN if either is NaN (as NumPy's maximum)."""
    return _extremum(w, "gt", a, b)


def minimum(w: Lanes, a: Reg, b: Reg) -> Reg:
    """The smaller; NaN if either is NaN."""
    return _extremum(w, "lt", a, b)


def _extremum(w: Lanes, predicate: str, a: Reg, b: Reg) -> Reg:
    first = w.compare(predicate, a, b)
    if a.dtype in FLOATS:
        first = w.binary("or", first, w.compare("uno", a, a))
    return w.select(first, a, b)


def _relu(w: Lanes, x: Reg) -> Reg:
    # `x <= 0 ? 0 : x` is false for NaN, which therefore passes.
    zero = w.const(x.dtype, 0)
    return w.select(w.compare("le", x, zero), zero, x)


def _sign(w: Lanes, x: Reg) -> Reg:
    # The sign of NaN is 0, as in PyTorch: neither comparison holds.
    zero, one = w.const(x.dtype, 0), w.const(x.dtype, 1)
    up = w.select(w.compare("gt", x, zero), one, zero)
    return w.select(w.compare("lt", x, zero), w.const(x.dtype, -1), up)


def _absolute(w: Lanes, x: Reg) -> Reg:
    if x.dtype in FLOATS:
        return w.intrinsic("fabs", x)
    return w.select(w.compare("lt", x, w.const(x.dtype, 0)), w.neg(x), x)


def _not(w: Lanes, x: Reg) -> Reg:
    return w.binary("xor", x, w.const(x.dtype, True if x.dtype == "bool" else -1))


def _is_finite(w: Lanes, x: Reg) -> Reg:
    return w.compare("lt", w.intrinsic("fabs", x), w.const(x.dtype, float("inf")))


def _reciprocal(w: Lanes, x: Reg) -> Reg:
    return w.div(w.const(x.dtype, 1.0), x)


def _compare(predicate: str) -> Emit:
    return lambda w, a, b: w.compare(predicate, a, b)


def _intrinsic(name: str) -> Emit:
    return lambda w, *args: w.intrinsic(name, *args)


def _libm(name: str) -> Emit:
    return lambda w, *args: w.libm(name, *args)


def _binary(opcode: str) -> Emit:
    return lambda w, a, b: w.binary(opcode, a, b)


_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

# For every numeric dtype.
_ANY: dict[str, Emit] = {
    "add": Lanes.add,
    "sub": Lanes.sub,
    "mul": Lanes.mul,
    "neg": Lanes.neg,
    "square": lambda w, x: w.mul(x, x),
    "abs": _absolute,
    "sign": _sign,
    "relu": _relu,
    "maximum": maximum,
    "minimum": minimum,
    **{name: _compare(name) for name in _COMPARISONS},
}

# For integers and bool.
_INTEGER: dict[str, Emit] = {
    "and": _binary("and"),
    "or": _binary("or"),
    "xor": _binary("xor"),
    "not": _not,
}

# For floats only.  Names that map to the C library are called lane by lane: correct, not fast.
_FLOAT: dict[str, Emit] = {
    "div": Lanes.div,
    "reciprocal": _reciprocal,
    "rsqrt": lambda w, x: _reciprocal(w, w.intrinsic("sqrt", x)),
    "exp": vector_math.exp,
    "expm1": vector_math.expm1,
    "log": vector_math.log,
    "log1p": vector_math.log1p,
    "tanh": vector_math.tanh,
    "sigmoid": vector_math.sigmoid,
    "erf": vector_math.erf,
    "sin": vector_math.sin,
    "cos": vector_math.cos,
    "erfc": vector_math.erfc,
    "upper_tail": vector_math.upper_tail,
    "isnan": lambda w, x: w.compare("uno", x, x),
    "isinf": lambda w, x: w.compare(
        "eq", w.intrinsic("fabs", x), w.const(x.dtype, float("inf"))
    ),
    "isfinite": _is_finite,
    **{name: _intrinsic(name) for name in ("sqrt", "floor", "ceil", "trunc", "copysign")},
    "round": _intrinsic("rint"),
    **{
        name: _libm(name)
        for name in (
            "exp2", "log2", "log10", "tan", "asin", "acos", "atan", "sinh", "cosh",
            "asinh", "acosh", "atanh", "pow", "atan2", "hypot", "fmod", "nextafter",
        )
    },
}  # fmt: skip

_CHEAP = frozenset({"isnan", "isinf", "isfinite", "floor", "ceil", "trunc", "round"})


def expensive(op: str) -> bool:
    """Whether a result is worth keeping in scratch memory rather than made again later."""
    return (op in _FLOAT and op not in _CHEAP) or op.startswith(SPECIAL)


def function(op: str, dtype: str) -> Emit | None:
    """The code writer of a scalar function on operands of this dtype, or None."""
    if op in ("select", "load", "const", "index", "convert", "fold", "check", "take"):
        return None
    if dtype in HALVES:
        return None
    if op.startswith(SPECIAL):
        kernel = op.removeprefix(SPECIAL)
        known = dtype in FLOATS and scipy_function(kernel) is not None
        return (lambda w, *args: w.special(kernel, *args)) if known else None
    if dtype in FLOATS:
        return _FLOAT.get(op) or _ANY.get(op)
    if dtype == "bool":
        return _INTEGER.get(op) or (_ANY.get(op) if op in _COMPARISONS else None)
    return _INTEGER.get(op) or _ANY.get(op)


def wide_product(w: Lanes, a: Reg, b: Reg) -> Reg:
    """a * b of single numbers, computed in double: the same bits, also below the normal range.

    A product in which a subnormal number takes part costs a hundred cycles on many processors, a
    conversion does not.  Gradients that vanish along a long chain of scalars are full of them.
    """
    product = w.mul(w.convert(a, "f64"), w.convert(b, "f64"))
    # Without the fence LLVM finds out that a single precision product would do.
    return w.convert(w.intrinsic("arithmetic.fence", product), "f32")


# ---- folds -----------------------------------------------------------------------------------

FOLDS: dict[str, Emit] = {
    "add": Lanes.add,
    "mul": Lanes.mul,
    "max": maximum,
    "min": minimum,
    "and": _binary("and"),
    "or": _binary("or"),
}


def identity(kind: str, dtype: str) -> Any:
    """The number that leaves a fold unchanged."""
    if kind in ("add", "or"):
        return 0
    if kind == "mul":
        return 1
    if kind == "and":
        return True if dtype == "bool" else -1
    if dtype in FLOATS:
        return float("-inf") if kind == "max" else float("inf")
    bits = 8 * ITEM_BYTES[dtype]
    if dtype.startswith("u"):
        return 0 if kind == "max" else 2**bits - 1
    return -(2 ** (bits - 1)) if kind == "max" else 2 ** (bits - 1) - 1
