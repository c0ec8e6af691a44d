"""Division of two arrays: quotients, their whole parts, remainders."""

from __future__ import annotations

import numpy as np

from .. import ir
from .schema import Refused, helper, op

# ruff: noqa: F821 - rules name ops of the table; worlds.py binds them


@helper
def one_over(b):
    """1 / b; of the number 0 too, where Python would raise."""
    if b.__class__ in (int, float, complex) and b == 0:
        if b.__class__ is complex:
            return complex("nan+nanj")
        return float("-inf") if str(b) == "-0.0" else float("inf")
    return 1 / b


def _divisor_gradient(g, a, b):
    q = np.true_divide(a, b)
    q /= b
    q *= g
    return np.negative(q, out=q) if q.__class__ is np.ndarray else -q


@op(
    # The quotient is made again rather than kept: `y = a / b; y += 1` may overwrite it.
    partials={"a": lambda b: one_over(b), "b": lambda a, b: -(a / b) / b},
    arrays={"b": _divisor_gradient},
    promote="float",
    numbers="wide",
    frees_numbers=True,
    lower=ir.div,
)
def div(a, b):
    """The quotient a / b; integers divide to the default float type."""
    return np.true_divide(a, b)


def nonzero_divisor(a, b, name):
    """Refuse an integer division by zero, which NumPy would answer with 0."""
    kind = a.dtype.kind if hasattr(a, "dtype") else b.dtype.kind
    if kind in "biu" and not np.all(b) and np.size(a):
        raise Refused(
            RuntimeError,
            f"ZeroDivisionError: {name} by zero. Integers have no infinity to stand for the "
            "quotient; convert with .float() first, or keep zeros out of the divisor.",
        )


@op(
    vjp={
        "a": lambda g: no_derivative("floor_divide"),
        "b": lambda g: no_derivative("floor_divide"),
    },
    jvp=lambda t_a, t_b: no_derivative("floor_divide"),
    broadcasts=True,
    refuses={"bc": ""},
    numbers="wide",
    node="NotImplemented",
    lower=ir.floor_div,
    public={},
    refuses_values="biu",
)
def floor_divide(a, b):
    """The quotient a / b rounded down; no derivative is defined for it."""
    return div_floor(a, b)


@op(
    vjp={"a": lambda g: zeroed(g), "b": lambda g: zeroed(g)},
    jvp="same",
    broadcasts=True,
    refuses={"bc": ""},
    numbers="wide",
    node="DivBackward1",
    lower=ir.floor_div,
    refuses_values="biu",
)
def div_floor(a, b):
    """The quotient a / b rounded down."""
    nonzero_divisor(a, b, "floor division")
    return np.floor_divide(a, b)


@op(
    vjp={"a": lambda g: zeroed(g), "b": lambda g: zeroed(g)},
    jvp="same",
    broadcasts=True,
    refuses={"bc": ""},
    numbers="wide",
    node="DivBackward1",
    lower=ir.pointwise(lambda a, b: ir.trunc(a / b)),
    refuses_values="biu",
)
def div_trunc(a, b):
    """The quotient a / b rounded towards zero."""
    nonzero_divisor(a, b, "division")
    kind = a.dtype.kind if hasattr(a, "dtype") else b.dtype.kind
    if kind in "biu":
        q = np.floor_divide(a, b)
        return q + ((q < 0) & (np.remainder(a, b) != 0))
    return np.trunc(np.true_divide(a, b))


@op(
    vjp={"a": lambda g: g, "b": lambda g, a, b: -g * div_floor(a, b)},
    jvp="same",
    broadcasts=True,
    refuses={"bc": ""},
    lower=ir.remainder,
    public={"numbers": "some"},
    refuses_values="biu",
)
def remainder(a, b):
    """a - b floor(a / b): the remainder with the sign of b."""
    nonzero_divisor(a, b, "remainder")
    rest = np.remainder(a, b)
    if rest.dtype.kind in "biu":
        return rest
    none = np.equal(rest, 0)  # a zero has the sign of a, as C's fmod has it
    return np.where(none, np.copysign(rest, a), rest) if none.any() else rest


@op(
    vjp={"a": lambda g: g, "b": lambda g, a, b: -g * div_trunc(a, b)},
    jvp="same",
    broadcasts=True,
    refuses={"bc": ""},
    lower=ir.fmod,
    public={"numbers": "other"},
    refuses_values="biu",
)
def fmod(a, b):
    """a - b trunc(a / b): the remainder with the sign of a."""
    nonzero_divisor(a, b, "fmod")
    return np.fmod(a, b)
