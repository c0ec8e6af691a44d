"""Elementwise functions: tables of the tensor functions behind them, and the exceptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as torch

from ..autograd import refusal
from . import _types as types
from ._types import array, as_type, is_array, is_kind, promoted


def _expm1(x: Any) -> Any:
    """`expm1`: of complex numbers at infinity and NaN, where PyTorch's is NaN, `exp` less one."""
    made = torch.expm1(x)
    return torch.where(torch.isfinite(x.real), made, torch.exp(x) - 1) if x.is_complex() else made


# Functions that are tensor functions of the same meaning, and the kinds of numbers they take.
# Whatever the standard leaves open (integers in `sin`) is answered as PyTorch answers it.
_UNARY: dict[str, Any] = {
    "acos": torch.acos, "acosh": torch.acosh, "asin": torch.asin, "asinh": torch.asinh,
    "atan": torch.atan, "atanh": torch.atanh, "bitwise_invert": torch.bitwise_not,
    "cos": torch.cos, "cosh": torch.cosh, "exp": torch.exp, "expm1": _expm1,
    "isfinite": torch.isfinite, "isinf": torch.isinf, "isnan": torch.isnan, "log": torch.log,
    "log1p": torch.log1p, "log2": torch.log2, "log10": torch.log10,
    "logical_not": torch.logical_not, "negative": torch.negative, "positive": torch.positive,
    "reciprocal": torch.reciprocal, "signbit": torch.signbit, "sin": torch.sin,
    "sinh": torch.sinh, "square": torch.square, "sqrt": torch.sqrt, "tan": torch.tan,
    "tanh": torch.tanh, "abs": torch.abs, "real": torch.real, "imag": torch.imag,
}  # fmt: skip
_ROUNDING = {"ceil": torch.ceil, "floor": torch.floor, "round": torch.round, "trunc": torch.trunc}
_BINARY: dict[str, Any] = {
    "add": torch.add, "atan2": torch.atan2, "bitwise_and": torch.bitwise_and,
    "bitwise_left_shift": torch.bitwise_left_shift, "bitwise_or": torch.bitwise_or,
    "bitwise_right_shift": torch.bitwise_right_shift, "bitwise_xor": torch.bitwise_xor,
    "copysign": torch.copysign, "divide": torch.divide, "equal": torch.eq,
    "greater": torch.gt, "greater_equal": torch.ge,
    "hypot": torch.hypot, "less": torch.lt, "less_equal": torch.le, "logaddexp": torch.logaddexp,
    "logical_and": torch.logical_and, "logical_or": torch.logical_or,
    "logical_xor": torch.logical_xor, "maximum": torch.maximum, "minimum": torch.minimum,
    "multiply": torch.multiply, "nextafter": torch.nextafter, "not_equal": torch.ne,
    "pow": torch.pow, "remainder": lambda a, b: _with_sign(torch.remainder(a, b), b),
    "subtract": torch.subtract,
}  # fmt: skip


def _with_sign(remainder: Any, divisor: Any) -> Any:
    """A remainder of zero has the sign of the divisor here, and of the dividend in PyTorch."""
    if not remainder.is_floating_point():
        return remainder
    return torch.where(remainder == 0, torch.copysign(remainder, divisor), remainder)


def _unary(name: str, function: Callable[..., Any]) -> Any:
    def made(x: Any, /) -> Any:
        return function(array(x, name))

    return _named(made, name, function)


def _rounding(name: str, function: Callable[..., Any]) -> Any:
    def made(x: Any, /) -> Any:
        if is_kind(array(x, name).dtype, "integral"):
            return x.clone()
        if x.is_complex() and name == "round":
            return torch.complex(torch.round(x.real), torch.round(x.imag))
        return function(x)

    return _named(made, name, function)


def _binary(name: str, function: Callable[..., Any]) -> Any:
    def made(x1: Any, x2: Any, /) -> Any:
        return function(*promoted(name, x1, x2))

    return _named(made, name, function)


def _named(made: Any, name: str, function: Any) -> Any:
    made.__name__ = made.__qualname__ = name
    made.__module__ = __name__.rpartition(".")[0]
    made.__doc__ = (
        f"The standard's `{name}`: `chainrule.{function.__name__.lstrip('_')}` on its types."
    )
    return made


globals().update({name: _unary(name, function) for name, function in _UNARY.items()})
globals().update({name: _rounding(name, function) for name, function in _ROUNDING.items()})
globals().update({name: _binary(name, function) for name, function in _BINARY.items()})


def conj(x: Any, /) -> Any:
    """The complex conjugate; of real numbers the numbers."""
    return torch.conj(x).resolve_conj() if array(x, "conj").is_complex() else x


def sign(x: Any, /) -> Any:
    """-1, 0 or 1 by the sign of each number, NaN of NaN; x / |x| of complex numbers."""
    if array(x, "sign").is_complex():
        return torch.sgn(x)
    signs = torch.sign(x)
    return torch.where(torch.isnan(x), x, signs) if x.is_floating_point() else signs


def floor_divide(x1: Any, x2: Any, /) -> Any:
    """The quotient rounded down; infinity divided by a number stays infinite."""
    x1, x2 = promoted("floor_divide", x1, x2)
    quotient = torch.floor_divide(x1, x2)
    if not quotient.is_floating_point():
        return quotient
    return torch.where(torch.isinf(x1) & torch.isfinite(x2), x1 / x2, quotient)


def clip(x: Any, /, min: Any = None, max: Any = None) -> Any:
    """The values between limits: numbers, or arrays that broadcast with it."""
    made = array(x, "clip")
    for limit, bound in ((min, torch.maximum), (max, torch.minimum)):
        if limit is None:
            continue
        if is_array(limit):
            made = bound(*promoted("clip", made, limit))
        else:
            made = _bounded(made, limit, bound)
    return made.clone() if made is x else made


def _bounded(x: Any, limit: Any, bound: Any) -> Any:
    """With a number as limit: one that no value of the type reaches does not count."""
    if is_kind(x.dtype, "integral") and isinstance(limit, int):
        known = torch.iinfo(x.dtype)
        if not known.min <= limit <= known.max:
            beyond = limit > known.max
            reached = beyond == (bound is torch.maximum)
            if reached:
                raise refusal.of_kind(
                    OverflowError, f"clip: the limit {limit} is out of bounds for {x.dtype}"
                )
            return x
    return bound(x, as_type(limit, types.with_scalar(x.dtype, limit)).to(x.dtype))
