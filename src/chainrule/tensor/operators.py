"""Python operators on tensors, each bound to an op of the table.

An operator is the op's specialised entry itself, made on first use; reflected ones (`2 - x`) are
entries with their arguments the other way round.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..autograd import refusal
from ..autograd.accidents import PROBLEMS, explain_here
from ..autograd.dispatch import HALVES, NUMBERS, P, entry
from ..autograd.entries import general_or_not, operator_entry
from ..autograd.inplace import assign, begin_at_root, inplace
from ..autograd.late import late
from ..ops import dtypes
from ..ops.schema import TABLE, Op
from .functions.complex_parts import imag, real
from .functions.elementwise import (
    add,
    lerp_weight,
    positive,
    quotient,
    scaled,
    sub,
    where_method,
)
from .functions.products import operator_matmul, reflected_matmul
from .spellings import UNGIVEN, one_of, second_and_factor

if TYPE_CHECKING:
    from .annotations import Operand, Tensor

# Operators of two operands: `__add__`, `__radd__` and `__iadd__` come from one row.
_ARITHMETIC = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "div": "div",
    "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "and": "bitwise_and",
    "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}  # fmt: skip
_COMPARISONS = {"eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge"}
_UNARY = {"neg": "neg", "abs": "abs"}


def install_operators(cls: type) -> None:
    """Give a Tensor class its operators."""
    for name, op_name in {**_ARITHMETIC, **_COMPARISONS}.items():
        _install(cls, f"__{name}__", TABLE[op_name])
    for name, op_name in _ARITHMETIC.items():
        _install(cls, f"__r{name}__", TABLE[op_name], reflected=True)
        setattr(cls, f"__i{name}__", _in_place(f"__i{name}__", TABLE[op_name]))
    for name, op_name in _UNARY.items():
        _install(cls, f"__{name}__", TABLE[op_name])
    for name, method in _METHODS.items():
        setattr(cls, name, method)


def _install(cls: type, name: str, op: Op, reflected: bool = False) -> None:
    setattr(cls, name, late(name, op.doc, lambda: operator_entry(op, reflected)))


def _in_place(name: str, op: Op) -> Callable[..., Any]:
    shown = op.name + "_"

    def call(self: Tensor, other: Operand) -> Tensor:
        return inplace(op, self, (other,), {}, shown)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"In-place form of :func:`{op.name}`."
    return call


def reflected_div(self: Tensor, other: Operand) -> Tensor:
    """other / self; of a number the reciprocal times it, rounded as PyTorch rounds it."""
    if isinstance(other, NUMBERS):
        found = P.reciprocal(self)
        # Times 1 is no change, but for the infinities of complex numbers.
        alike = other.__class__ in (int, float) and other == 1 and not found.dtype.is_complex
        return found if alike else P.mul(found, other)
    return general_or_not(TABLE["div"], (other, self), {}, 1)


def invert(self: Tensor) -> Any:
    """All bits of an integer tensor flipped; the negation of a bool tensor."""
    if self.dtype.category > dtypes.INT:
        raise refusal.wrong_type(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
            f"this one is {self.dtype!r}",
            fix="compare first, e.g. ~(x > 0), or use 1 - x.",
        )
    return entry(TABLE["bitwise_not"])(self)


# ---- methods that write in place with a parameter, without a temporary of self -------------------


def add_(
    self: Any, other: Any = UNGIVEN, old: Any = UNGIVEN, x2: Any = UNGIVEN, *, alpha: Any = 1
) -> Any:
    """self + alpha * other, in place."""
    try:
        if old is not ... or x2 is not ... or other is ...:
            other, alpha = second_and_factor("add_", self, other, old, x2, alpha)
        if alpha.__class__ is not int or alpha != 1:
            if self.dtype in HALVES:
                begin_at_root(self)
                return assign(self, add(self, other, alpha=alpha), "add_")
            other = scaled("add_", self, other, alpha)
        return inplace(TABLE["add"], self, (other,), {}, "add_")
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def sub_(
    self: Any, other: Any = UNGIVEN, old: Any = UNGIVEN, x2: Any = UNGIVEN, *, alpha: Any = 1
) -> Any:
    """self - alpha * other, in place."""
    try:
        if old is not ... or x2 is not ... or other is ...:
            other, alpha = second_and_factor("sub_", self, other, old, x2, alpha)
        if alpha.__class__ is not int or alpha != 1:
            if self.dtype in HALVES:
                begin_at_root(self)
                return assign(self, sub(self, other, alpha=alpha), "sub_")
            other = scaled("sub_", self, other, alpha)
        return inplace(TABLE["sub"], self, (other,), {}, "sub_")
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def div_(
    self: Any, other: Any = UNGIVEN, x2: Any = UNGIVEN, *, rounding_mode: str | None = None
) -> Any:  # fmt: skip
    """self / other, in place."""
    try:
        if x2 is not ... or other is ...:
            other = one_of("div_", "other", other, x2)
        name = {None: "div", "floor": "div_floor", "trunc": "div_trunc"}.get(rounding_mode, "")
        if not name:
            quotient(rounding_mode)  # raises: no such mode
        return inplace(TABLE[name], self, (other,), {}, "div_")
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def lerp_(self: Any, end: Any, weight: Any) -> Any:
    """self + weight * (end - self), in place."""
    try:
        weight = lerp_weight(self, end, weight)
        return inplace(TABLE["lerp"], self, (end, weight), {}, "lerp_")
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def clamp_(self: Any, min: Any = None, max: Any = None) -> Any:
    """self kept within min and max, in place."""
    if min is not None and max is not None:
        return inplace(TABLE["clamp"], self, (min, max), {}, "clamp_")
    if min is None:
        return inplace(TABLE["clamp_max"], self, (max,), {}, "clamp_")
    return inplace(TABLE["clamp_min"], self, (min,), {}, "clamp_")


def _set_real(self: Any, value: Any) -> None:
    _fill_part(real(self), value)


def _set_imag(self: Any, value: Any) -> None:
    _fill_part(imag(self), value)


def _fill_part(part: Any, value: Any) -> None:
    assign(part, entry(TABLE["add"])(entry(TABLE["blank"])(part), value), "copy_")


_METHODS: dict[str, Any] = {
    "__matmul__": operator_matmul,
    "__rmatmul__": reflected_matmul,
    "__rtruediv__": reflected_div,
    "__rdiv__": reflected_div,
    "__pos__": positive,
    "__invert__": invert,
    "__hash__": lambda self: id(self),
    "add_": add_,
    "sub_": sub_,
    "subtract_": sub_,
    "div_": div_,
    "divide_": div_,
    "lerp_": lerp_,
    "clamp_": clamp_,
    "clip_": clamp_,
    "where": where_method,
    "real": property(real, _set_real, doc="The real part, a view."),
    "imag": property(imag, _set_imag, doc="The imaginary part, a view."),
}
