"""What `math`, `statistics`, NumPy's ufuncs and `float` do with traced numbers.

Each substitute calls the original on plain values (so it returns the same bits and raises the same
errors) and records an op of the table, or a composition of such ops pinned to the original's value.
Given no traced number it is the original.
"""

from __future__ import annotations

import builtins
import functools
import math
import statistics
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .traced import (
    Traced,
    TracedText,
    decide,
    flat,
    is_live,
    is_traced,
    pinned,
    record,
    value_of,
)

# ---- compositions: written with operators, differentiated by the ops they consist of -------------


def _log(x: Any, base: Any = None) -> Any:
    natural = record("log", (x,), math.log(value_of(x)))
    return natural if base is None else natural / _log(base)


def _exp(x: Any) -> Any:
    return record("exp", (x,), math.exp(value_of(x)))


def _sqrt(x: Any) -> Any:
    return record("sqrt", (x,), math.sqrt(value_of(x)))


def _cbrt(x: Any) -> Any:
    sign = math.copysign(1.0, value_of(x))
    return sign * (sign * x) ** (1 / 3)


def _gamma(x: Any) -> Any:
    value = math.gamma(value_of(x))
    return math.copysign(1.0, value) * _exp(record("lgamma", (x,), math.lgamma(value_of(x))))


def _nearest_multiple(x: Any, y: Any) -> Any:
    """math.remainder: x - n*y, n the whole number nearest to x/y."""
    return x - round(value_of(x) / value_of(y)) * y


def _modf(x: Any) -> Any:
    return record("fmod", (x, 1.0), math.fmod(value_of(x), 1.0)), math.modf(flat(x, "modf()"))[1]


def _frexp(x: Any) -> Any:
    exponent = math.frexp(flat(x, "frexp()"))[1]
    return math.ldexp(1.0, -exponent) * x, exponent


def _hypot(*sides: Any) -> Any:
    total: Any = abs(sides[0]) if sides else 0.0
    for side in sides[1:]:
        total = record("hypot", (total, side), math.hypot(value_of(total), value_of(side)))
    return total


def _dist(p: Any, q: Any) -> Any:
    return _hypot(*(a - b for a, b in zip(p, q, strict=True)))


def _product(values: Iterable[Any], start: Any = 1) -> Any:
    for value in values:
        start = start * value
    return start


def _sumprod(p: Any, q: Any) -> Any:
    return sum((a * b for a, b in zip(p, q, strict=True)), 0.0)


def _mean(data: Any, weights: Any = None) -> Any:
    values = list(data)
    if weights is None:
        return sum(values) / len(values)
    shares = list(weights)
    return _sumprod(values, shares) / sum(shares)


def _squares(values: list[Any], centre: Any) -> Any:
    middle = _mean(values) if centre is None else centre
    return sum((v - middle) ** 2 for v in values)


def _variance(data: Any, xbar: Any = None) -> Any:
    values = list(data)
    return _squares(values, xbar) / (len(values) - 1)


def _population_variance(data: Any, mu: Any = None) -> Any:
    values = list(data)
    return _squares(values, mu) / len(values)


def _geometric_mean(data: Any) -> Any:
    return _exp(_mean([_log(v) for v in data]))


def _harmonic_mean(data: Any, weights: Any = None) -> Any:
    values = list(data)
    shares = [1.0] * len(values) if weights is None else list(weights)
    return sum(shares) / sum(w / v for v, w in zip(values, shares, strict=True))


def _clip(x: Any, low: Any = None, high: Any = None) -> Any:
    if low is not None and x < low:
        x = low
    return high if high is not None and x > high else x


def _interp(
    x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None
) -> Any:
    """np.interp at one traced place, or on traced nodes."""
    if period is not None or np.ndim(x):
        raise _first([x, *xp, *fp]).tape.refuse(
            "np.interp on traced numbers takes one place at a time and no period"
        )
    if x < xp[0]:
        return fp[0] if left is None else left
    if x > xp[-1]:
        return fp[-1] if right is None else right
    k = next((i for i in range(1, len(xp)) if x < xp[i]), len(xp) - 1)
    if k == 0:
        return fp[0]
    slope = (fp[k] - fp[k - 1]) / (xp[k] - xp[k - 1])
    return fp[k - 1] + slope * (x - xp[k - 1])


# ---- which function becomes what -----------------------------------------------------------------

# Functions of math that are one op of the table.
_MATH_OPS = {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log2": "log2", "log10": "log10",
    "log1p": "log1p", "sqrt": "sqrt", "pow": "pow", "fabs": "abs", "fmod": "fmod",
    "copysign": "copysign", "sin": "sin", "cos": "cos", "tan": "tan", "asin": "asin",
    "acos": "acos", "atan": "atan", "atan2": "atan2", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh", "erf": "erf",
    "erfc": "erfc", "lgamma": "lgamma",
}  # fmt: skip
_MATH_COMPOSED: dict[str, Callable[..., Any]] = {
    "log": _log,
    "cbrt": _cbrt,
    "gamma": _gamma,
    "hypot": _hypot,
    "dist": _dist,
    "degrees": lambda x: x * (180 / math.pi),
    "radians": lambda x: x * (math.pi / 180),
    "fsum": lambda values: sum(values, 0.0),
    "prod": lambda values, *, start=1: _product(values, start),
    "sumprod": _sumprod,
    "fma": lambda x, y, z: x * y + z,
    "ldexp": lambda x, i: x * math.ldexp(1.0, i),
    "remainder": _nearest_multiple,
}
_MATH_PAIRS = {"modf": _modf, "frexp": _frexp}
_MATH_QUESTIONS = ("isnan", "isinf", "isfinite", "isclose")
_MATH_REFUSED = ("nextafter", "ulp")

_STATISTICS: dict[str, Callable[..., Any]] = {
    "mean": _mean,
    "fmean": _mean,
    "variance": _variance,
    "pvariance": _population_variance,
    "stdev": lambda data, xbar=None: _sqrt(_variance(data, xbar)),
    "pstdev": lambda data, mu=None: _sqrt(_population_variance(data, mu)),
    "geometric_mean": _geometric_mean,
    "harmonic_mean": _harmonic_mean,
}

# NumPy's and SciPy's ufuncs by name. Those of math have the same names here and there.
_UFUNC_OPS = {
    **_MATH_OPS,
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div",
    "power": "pow", "float_power": "pow", "negative": "neg", "absolute": "abs", "log": "log",
    "square": "square", "reciprocal": "reciprocal", "hypot": "hypot", "arcsin": "asin",
    "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
    "arccosh": "acosh", "arctanh": "atanh", "maximum": "maximum", "minimum": "minimum",
    "fmax": "fmax", "fmin": "fmin", "logaddexp": "logaddexp", "logaddexp2": "logaddexp2",
    "remainder": "remainder", "expit": "sigmoid", "gammaln": "lgamma", "psi": "digamma",
    "erfinv": "erfinv", "xlogy": "xlogy", "ndtr": "ndtr", "log_ndtr": "log_ndtr", "entr": "entr",
}  # fmt: skip
_UFUNC_COMPOSED: dict[str, Callable[..., Any]] = {
    "positive": lambda x: x,
    "conjugate": lambda x: x,
    "cbrt": _cbrt,
    "deg2rad": _MATH_COMPOSED["radians"],
    "radians": _MATH_COMPOSED["radians"],
    "rad2deg": _MATH_COMPOSED["degrees"],
    "degrees": _MATH_COMPOSED["degrees"],
    "gamma": _gamma,
    "clip": _clip,
    "matmul": lambda a, b: a * b,
    "logit": lambda x: _log(x / (1.0 - x)),
}
_UFUNC_FLAT = {"floor", "ceil", "trunc", "rint", "sign", "heaviside", "floor_divide"}
_UFUNC_QUESTIONS = {
    "less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "isnan", "isinf",
    "isfinite", "signbit", "logical_and", "logical_or", "logical_not", "logical_xor",
}  # fmt: skip


# ---- making substitutes --------------------------------------------------------------------------


def _first(arguments: Iterable[Any]) -> Any:
    """A live traced number among the arguments, one level inside of lists too."""
    for a in arguments:
        if is_live(a):
            return a
        if isinstance(a, list | tuple):
            found = next((b for b in a if is_live(b)), None)
            if found is not None:
                return found
        if isinstance(a, np.ndarray) and a.dtype == object:
            found = next((b for b in a.flat if is_live(b)), None)
            if found is not None:
                return found
    return None


def _listed(a: Any) -> Any:
    """Iterators are read once, but we look at them twice."""
    return list(a) if hasattr(a, "__next__") else a


def _plain(a: Any) -> Any:
    if isinstance(a, list | tuple):
        return type(a)(map(value_of, a)) if type(a) in (list, tuple) else list(map(value_of, a))
    if isinstance(a, np.ndarray) and a.dtype == object:
        return np.array([value_of(b) for b in a.flat], np.float64).reshape(a.shape)
    return value_of(a)


def _substitute(original: Any, follow: Callable[..., Any]) -> Any:
    """`follow(arguments, options, value)` where a traced number is given, else the original."""

    @functools.wraps(original)
    def call(*arguments: Any, **options: Any) -> Any:
        arguments = tuple(map(_listed, arguments))
        options = {name: _listed(a) for name, a in options.items()}
        if _first((*arguments, *options.values())) is None:
            return original(*map(_plain_if_stale, arguments), **options)
        value = original(
            *map(_plain, arguments), **{name: _plain(a) for name, a in options.items()}
        )
        return follow(arguments, options, value)

    return call


def _plain_if_stale(a: Any) -> Any:
    return value_of(a) if is_traced(a) else a


def _one_op(original: Any, op: str) -> Any:
    return _substitute(original, lambda args, options, value: record(op, args, value))


def _composed(original: Any, formula: Callable[..., Any]) -> Any:
    return _substitute(
        original, lambda args, options, value: pinned(formula(*args, **options), value)
    )


def _several(original: Any, formula: Callable[..., Any]) -> Any:
    return _substitute(original, lambda args, options, value: formula(*args, **options))


def _question(original: Any) -> Any:
    def follow(args: Any, options: Any, value: Any) -> Any:
        shown = ", ".join(repr(_plain(a)) for a in args)
        decide(_first(args), f"{original.__name__}({shown})", value, math.inf)
        return value

    return _substitute(original, follow)


def _refused(original: Any) -> Any:
    def follow(args: Any, options: Any, value: Any) -> Any:
        raise _first(args).tape.refuse(f"{original.__name__}() has no derivative")

    return _substitute(original, follow)


class _FloatType(type):
    """`float` as the user's modules see it: a type to ask about, a call that keeps traces."""

    def __instancecheck__(cls, x: Any) -> bool:
        return isinstance(x, builtins.float)

    def __subclasscheck__(cls, other: Any) -> bool:
        return issubclass(other, builtins.float)

    def __eq__(cls, other: Any) -> bool:
        return other is cls or other is builtins.float

    def __hash__(cls) -> int:
        return hash(builtins.float)

    def __call__(cls, x: Any = 0.0, /) -> Any:
        if type(x) is np.ndarray and x.dtype == object and x.size == 1:
            x = x.item()
        if type(x) is TracedText and x.tape.open:
            raise x.tape.refuse(
                f"float({str.__str__(x)!r}): a traced number was written out as text and is read "
                "back here; its derivative would be lost. Fix: compute with the number, and write "
                "it out at the end"
            )
        return x if is_live(x) else builtins.float(x)

    def __getattr__(cls, name: str) -> Any:
        return getattr(builtins.float, name)

    def __repr__(cls) -> str:
        return repr(builtins.float)


class FollowingFloat(metaclass=_FloatType):
    """Stands for `float` in the user's modules while their function is traced."""


@functools.cache
def substitutes() -> dict[int, tuple[Any, Any]]:
    """id(original) -> (original, substitute), for every function that can be replaced."""
    made: list[tuple[Any, Any]] = []
    for name, op in _MATH_OPS.items():
        if hasattr(math, name):
            made.append((getattr(math, name), _one_op(getattr(math, name), op)))
    for module, table in ((math, _MATH_COMPOSED), (statistics, _STATISTICS)):
        for name, formula in table.items():
            if hasattr(module, name):
                made.append((getattr(module, name), _composed(getattr(module, name), formula)))
    made += [(getattr(math, n), _several(getattr(math, n), f)) for n, f in _MATH_PAIRS.items()]
    made += [(getattr(math, n), _question(getattr(math, n))) for n in _MATH_QUESTIONS]
    made += [(getattr(math, n), _refused(getattr(math, n))) for n in _MATH_REFUSED]
    made.append((np.interp, _composed(np.interp, _interp)))
    for name in {*_UFUNC_OPS, *_UFUNC_COMPOSED, *_UFUNC_FLAT, *_UFUNC_QUESTIONS}:
        if isinstance(getattr(np, name, None), np.ufunc):
            made.append((getattr(np, name), UfuncSubstitute(getattr(np, name))))
    return {id(original): (original, mine) for original, mine in made}


# ---- NumPy ---------------------------------------------------------------------------------------


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """A ufunc of which an argument is a traced number."""
    options = {name: option for name, option in options.items() if option is not None}
    if any(isinstance(a, np.ndarray) and a.ndim for a in inputs) or method != "__call__":
        return _by_elements(ufunc, method, inputs, options)
    inputs = tuple(a.item() if isinstance(a, np.ndarray) else a for a in inputs)
    live = _first(inputs)
    if live is None:
        return ufunc(*map(value_of, inputs), **options)
    if options.pop("dtype", np.float64) not in (float, np.float64) or options:
        raise live.tape.refuse(f"np.{ufunc.__name__} with {', '.join(options) or 'dtype'}=")
    value = ufunc(*map(value_of, inputs))
    name = ufunc.__name__
    if name in _UFUNC_OPS:
        return record(_UFUNC_OPS[name], inputs, value)
    if name in _UFUNC_COMPOSED:
        return pinned(_UFUNC_COMPOSED[name](*inputs), value)
    if name in _UFUNC_FLAT:
        for a in inputs:
            if is_live(a):
                flat(a, f"np.{name}()")
        return value
    if name in _UFUNC_QUESTIONS:
        return _answer(name, inputs, value)
    raise live.tape.refuse(
        f"the ufunc {name} has no derivative rule here. Fix: write it with arithmetic and "
        "functions of math or numpy that have one"
    )


class UfuncSubstitute:
    """A ufunc that asks each element of an array or list with traced numbers in it.

    NumPy's own loop for objects would call `x.exp()`, which the plain floats among them lack.
    """

    def __init__(self, ufunc: Any) -> None:
        self._ufunc = ufunc
        self._each = np.frompyfunc(ufunc, ufunc.nin, ufunc.nout)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        operands = inputs[: self._ufunc.nin]
        several = any(isinstance(a, list | tuple | np.ndarray) for a in operands)
        if options or len(inputs) != self._ufunc.nin or not several or _first(operands) is None:
            return self._ufunc(*inputs, **options)
        return self._each(*(np.asarray(a, object) for a in operands))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ufunc, name)

    def __repr__(self) -> str:
        return repr(self._ufunc)


def _answer(name: str, inputs: tuple[Any, ...], value: Any) -> Any:
    numbers = [value_of(a) for a in inputs]
    gap = abs(numbers[0] - numbers[1]) if len(numbers) == 2 else math.inf
    text = f"np.{name}({', '.join(map(repr, numbers))})"
    decide(inputs[0], text, value, float(gap), inputs[-1])
    return value


def _by_elements(ufunc: Any, method: str, inputs: tuple[Any, ...], options: Any) -> Any:
    """On arrays NumPy's loop for objects asks each element; `out` of floats would cut the trace."""
    out = options.get("out")
    if out is not None and any(o.dtype != object for o in out if o is not None):
        raise _first(inputs).tape.refuse(
            f"np.{ufunc.__name__} writes traced numbers into an array of {out[0].dtype}, where "
            "their derivative would be lost. Fix: make a new array (a = a + x instead of a += x)"
        )
    arrays = [np.asarray(a, object) for a in inputs]
    return getattr(ufunc, method)(*arrays, **options)


def _array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
    return call_ufunc(ufunc, method, inputs, options)


def _install_methods() -> None:
    """NumPy calls `x.__array_ufunc__`, and its loop for objects `x.exp()` for np.exp."""
    setattr(Traced, "__array_ufunc__", _array_ufunc)  # noqa: B010 - types know a class's own only
    for name in {*_UFUNC_OPS, *_UFUNC_COMPOSED, *_UFUNC_FLAT, *_UFUNC_QUESTIONS}:
        ufunc = getattr(np, name, None)
        if isinstance(ufunc, np.ufunc) and not hasattr(Traced, name):

            def method(self: Any, *others: Any, ufunc: Any = ufunc) -> Any:
                return ufunc(self, *others)

            setattr(Traced, name, method)


_install_methods()
