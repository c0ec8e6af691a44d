"""Element-by-element functions: which ops are public as they are, and those with a signature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...autograd import errors, refusal
from ...autograd.accidents import PROBLEMS, explain_here
from ...autograd.dispatch import HALVES, NUMBERS, common_dtype, refuse_operands
from ...ops import dtypes
from ...ops.schema import TABLE, Op
from ..api import expose, public
from ..refused_types import refuse
from ..return_types import named
from ..scalars import number_for
from ..spellings import UNGIVEN, one_of, second_and_factor
from .common import P, TensorBase, axes_of
from .factors import times
from .half_types import fitting, half_type, of_one_type, rounded, single

if TYPE_CHECKING:
    from ..annotations import Number, Operand, Tensor

# ---- ops that are public as they are -------------------------------------------------------------


def expose_op(op: Op) -> None:
    """Make an op public as the table says; one that folds an `axis` takes `dim` and `keepdim`."""
    expose(op, _reduction(op) if op.params == ("axis", "keepdims") else None)


def _reduction(op: Op) -> Any:
    def call(input: Any, dim: Any = None, keepdim: bool = False) -> Any:
        return getattr(P, op.name)(input, axis=axes_of(dim, input.ndim), keepdims=bool(keepdim))

    call.__name__ = call.__qualname__ = op.name
    call.__doc__ = op.doc
    return call


for _op in TABLE.values():
    if _op.public is not None:
        expose_op(_op)


# ---- sums, products, quotients -------------------------------------------------------------------


def scaled(name: str, input: Any, other: Any, alpha: Any) -> Any:
    """alpha * other, for add and sub; the type of their result must hold alpha."""
    if name[:3] == "sub":
        refuse_operands(TABLE["sub"], (input, other))
    target = common_dtype(TABLE["add"], (input, other))
    alpha = _alpha_for(name, target, alpha)
    if isinstance(other, TensorBase) and other.dtype is not target:  # type: ignore[attr-defined]
        other = P.cast(other, dtype=target.np)  # its own type might not hold the product
    return other * alpha if isinstance(other, NUMBERS) else times(other, alpha)


def _alpha_for(name: str, target: dtypes.dtype, alpha: Any) -> Any:
    """The factor of add and sub as the type of the result holds it, or an error."""
    if not isinstance(alpha, (TensorBase, *NUMBERS)):
        return alpha  # what a compiled function follows
    kind, problem = _category(alpha), ""
    if kind == dtypes.BOOL and target is not dtypes.bool_:
        problem = "Boolean alpha only supported for Boolean results."
    elif kind >= dtypes.FLOAT > target.category:
        problem = "For integral input tensors, argument alpha must not be a floating point number."
    elif kind == dtypes.COMPLEX > target.category:
        problem = "For non-complex input tensors, argument alpha must not be a complex number."
    if problem:
        raise refusal.runtime(
            f"{problem}",
            f"{name}(alpha={alpha}) with a result of {target!r}",
            fix="convert the input first, e.g. with .to(torch.float32).",
        )
    return number_for(alpha, target)


def _category(value: Any) -> int:
    if isinstance(value, TensorBase):
        return value.dtype.category  # type: ignore[attr-defined]
    return dtypes.scalar_dtype(value).category


@public(inplace=True)
def add(
    input: Tensor,
    other: Operand = UNGIVEN,
    old: Operand = UNGIVEN,
    x2: Tensor = UNGIVEN,
    *,
    alpha: Operand = 1,
) -> Tensor:
    """input + alpha * other.

    >>> import chainrule as torch
    >>> torch.add(torch.tensor([1., 2.]), 10)
    tensor([11., 12.])
    """
    try:
        if old is not ... or x2 is not ... or other is ...:
            other, alpha = second_and_factor("add", input, other, old, x2, alpha)
        if alpha.__class__ is int and alpha == 1:
            return P.add(input, other)
        return _with_alpha("add", input, other, alpha)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(inplace=True, aliases=("subtract",))
def sub(
    input: Tensor,
    other: Operand = UNGIVEN,
    old: Operand = UNGIVEN,
    x2: Tensor = UNGIVEN,
    *,
    alpha: Number = 1,
) -> Tensor:
    """input - alpha * other."""
    try:
        if old is not ... or x2 is not ... or other is ...:
            other, alpha = second_and_factor("sub", input, other, old, x2, alpha)
        if alpha.__class__ is int and alpha == 1:
            return P.sub(input, other)
        return _with_alpha("sub", input, other, alpha)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


@public(method=False, out=False)
def rsub(input: Tensor, other: Operand, alpha: Number = 1) -> Tensor:
    """other - alpha * input."""
    usual = alpha.__class__ is int and alpha == 1
    return P.sub(other, input) if usual else _with_alpha("sub", other, input, alpha)


def _with_alpha(name: str, input: Any, other: Any, alpha: Any) -> Any:
    """input + alpha * other or input - alpha * other, in half precision rounded once."""
    half = half_type(input, other)
    if half is not None:
        input, other, alpha = single(input), single(other), fitting(alpha, half)
    return rounded(getattr(P, name)(input, scaled(name, input, other, alpha)), half)


@public(inplace=True, aliases=("divide",))
def div(
    input: Tensor, other: Operand = UNGIVEN, x2: Tensor = UNGIVEN, *,
    rounding_mode: str | None = None,
) -> Tensor:  # fmt: skip
    """input / other, rounded "trunc" (towards zero) or "floor" (down) when asked.

    >>> import chainrule as torch
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="trunc")
    tensor([ 3, -3])
    """
    try:
        if x2 is not ... or other is ...:
            other = one_of("div", "other", other, x2)
        return quotient(rounding_mode)(input, other)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def quotient(rounding_mode: str | None) -> Any:
    """The division primitive of a rounding mode."""
    if rounding_mode is None:
        return P.div
    if rounding_mode == "floor":
        return P.div_floor
    if rounding_mode == "trunc":
        return P.div_trunc
    raise refusal.runtime(
        "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found "
        f"'{rounding_mode}'"
    )


@public(inplace=True)
def true_divide(input: Tensor, other: Operand) -> Tensor:
    """input / other."""
    return P.div(input, other)


@public(inplace=True)
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value * tensor1 * tensor2."""
    if all(_category(x) == dtypes.BOOL for x in (input, tensor1, tensor2)):
        refuse("addcmul", input)
    input, tensor1, tensor2 = of_one_type(input, tensor1, tensor2)
    half = half_type(input, tensor1, tensor2)
    if half is not None:
        input, tensor1, tensor2 = single(input), single(tensor1), single(tensor2)
    product = P.mul(tensor1, tensor2)
    if value != 1:
        if isinstance(value, float) and _category(product) < dtypes.FLOAT:
            value = int(value)  # as PyTorch: an integer sum takes the integer part of the factor
        product = times(product, value)
    return rounded(P.add(input, product), half)


@public(inplace=True)
def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: Number = 1) -> Tensor:
    """input + value * tensor1 / tensor2."""
    if _category(tensor1) < dtypes.FLOAT > _category(tensor2):
        raise refusal.runtime(
            "Integer division with addcdiv is no longer supported, and in a future release "
            "addcdiv will perform a true division of tensor1 and tensor2.",
            fix="convert one with .float(), or use torch.div(..., rounding_mode='trunc').",
        )
    input, tensor1, tensor2 = of_one_type(input, tensor1, tensor2)
    half = half_type(input, tensor1, tensor2)
    if half is not None:
        input, tensor1, tensor2 = single(input), single(tensor1), single(tensor2)
    ratio = P.div(tensor1, tensor2)
    return rounded(P.add(input, ratio if value == 1 else times(ratio, value)), half)


@public(inplace=True)
def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor:
    """input + weight * (end - input)."""
    return P.lerp(input, end, lerp_weight(input, end, weight))


def lerp_weight(input: Any, end: Any, weight: Any) -> Any:
    """The weight of lerp in the type of its ends, which must be one type."""
    for name, other in (("end", end), ("weight", weight)):
        if isinstance(other, TensorBase) and other.dtype is not input.dtype:
            if name == "weight" and not other.ndim and not other.dtype.is_complex:
                return other.to(input.dtype)
            raise refusal.runtime(
                f"expected dtype {_short(input)} for `{name}` but got dtype {_short(other)}",
                "lerp",
                fix=f"convert it with .to({input.dtype!r}).",
            )
    if isinstance(weight, NUMBERS) and input.dtype not in HALVES:
        number_for(weight, input.dtype)  # refuses what the type does not hold
    return weight


_SHORT = {"float32": "float", "float64": "double", "int64": "long int", "int32": "int"}


def _short(t: Any) -> str:
    name: str = t.dtype.name
    return _SHORT.get(name, name)


@public(inplace=True)
def float_power(input: Tensor, exponent: Operand) -> Tensor:
    """input ** exponent in double precision."""
    if not isinstance(input, TensorBase) and not isinstance(exponent, TensorBase):
        raise errors.no_such_combination("float_power", (input, exponent))
    wide = [dtypes.complex128 if _is_complex(v) else dtypes.float64 for v in (input, exponent)]
    target = wide[0] if wide[0] is wide[1] else dtypes.complex128
    base = input.to(target) if isinstance(input, TensorBase) else input
    power = exponent.to(target) if isinstance(exponent, TensorBase) else exponent
    return P.pow(base, power)


def _is_complex(value: Any) -> bool:
    return value.is_complex() if isinstance(value, TensorBase) else isinstance(value, complex)


@public(inplace=True)
def ldexp(input: Tensor, other: Operand) -> Tensor:
    """input * 2 ** other."""
    half = half_type(input, other)
    common = common_dtype(TABLE["mul"], (input, other))
    if isinstance(other, TensorBase) and common.category >= dtypes.FLOAT:
        other = other.to(dtypes.float32 if half else common)
    return rounded(P.mul(single(input), P.pow(2.0, other)), half)


# ---- bounds and choices --------------------------------------------------------------------------


@public(inplace=True, aliases=("clip",))
def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor:
    """input kept within min and max, numbers or tensors; either may be None.

    >>> import chainrule as torch
    >>> torch.tensor([-2., 0.5, 3.]).clamp(0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    if input.dtype.category == dtypes.INT:
        min, max = _whole(min, input.dtype), _whole(max, input.dtype)
    if min is None:
        if max is None:
            raise refusal.runtime("torch.clamp: At least one of 'min' or 'max' must not be None")
        return P.clamp_max(input, max)
    return P.clamp_min(input, min) if max is None else P.clamp(input, min, max)


def _whole(value: Any, dtype: Any) -> Any:
    """A whole number that is compared with integers, as their type holds it."""
    if value.__class__ is int and dtype.category == dtypes.INT:
        return number_for(value, dtype)
    return value


@public(inplace=True)
def clamp_min(input: Tensor, min: Operand) -> Tensor:
    """input, but not less than min."""
    return P.clamp_min(input, _whole(min, input.dtype))


@public(inplace=True)
def clamp_max(input: Tensor, max: Operand) -> Tensor:
    """input, but not more than max."""
    return P.clamp_max(input, _whole(max, input.dtype))


@public(method=False)
def where(condition: Tensor, input: Operand | None = None, other: Operand | None = None) -> Any:
    """input where the condition holds, else other; with a condition alone, where it holds.

    >>> import chainrule as torch
    >>> torch.where(torch.tensor([True, False]), torch.tensor([1., 2.]), 0.0)
    tensor([1., 0.])
    """
    try:
        if input is None and other is None:
            return condition.nonzero(as_tuple=True)
        if condition.dtype is not dtypes.bool_:
            condition = _as_condition(condition)
        if isinstance(input, np.generic) or isinstance(other, np.generic):
            input = input.item() if isinstance(input, np.generic) else input
            other = other.item() if isinstance(other, np.generic) else other
        if isinstance(input, NUMBERS) and isinstance(other, NUMBERS):
            input = _number_tensor(input, other)
        elif isinstance(input, int) and isinstance(other, TensorBase):
            input = _whole(input, other.dtype)
        elif isinstance(other, int) and isinstance(input, TensorBase):
            other = _whole(other, input.dtype)
        return P.where(condition, input, other)
    except PROBLEMS as problem:
        explain_here(problem)
        raise


def _as_condition(condition: Any) -> Any:
    """A uint8 condition, which old code still has, as bools; any other type is refused."""
    if condition.dtype is dtypes.uint8:
        return P.ne(condition, 0)
    raise refusal.runtime(
        "where expected condition to be a boolean tensor, but got a tensor with dtype "
        f"{condition.dtype!r}",
        fix="compare first, e.g. x != 0.",
    )


def _number_tensor(value: Any, partner: Any) -> Any:
    """A number as a 0-dim tensor of the type that both numbers have together."""
    from ..creation import tensor

    target = dtypes.promote_types(dtypes.scalar_dtype(value), dtypes.scalar_dtype(partner))
    return tensor(value, dtype=target)


def where_method(
    self: Tensor, condition: Tensor, other: Operand = UNGIVEN, *, x2: Tensor = UNGIVEN
) -> Any:
    """self where the condition holds, else other."""
    return where(condition, self, one_of("where", "other", other, x2))


@public(inplace=True)
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 where input is negative, 1 where positive, `values` where it is 0."""
    if input.dtype is not values.dtype:
        raise refusal.runtime(
            "heaviside is not yet implemented for tensors with different dtypes.",
            f"{input.dtype!r} and {values.dtype!r}",
        )
    return P.heaviside(input, values)


# ---- rounding and repair -------------------------------------------------------------------------


@public("round", inplace=True, aliases=("special.round",))
def round_(input: Tensor, *, decimals: int = 0) -> Tensor:
    """input rounded to `decimals` places, halves to even."""
    if decimals and input.dtype.category < dtypes.FLOAT:
        raise refusal.not_implemented(
            f'"round_cpu" not implemented for integers with decimals={decimals}',
            f"round() on {input.dtype!r}",
            fix="convert with .float() first.",
        )
    return P.round(input, decimals=decimals)


_LARGEST = {
    "float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
}  # fmt: skip


@public(inplace=True)
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Tensor:
    """NaN and infinities replaced: by 0, the largest and the lowest number of the type."""
    largest = _LARGEST.get(input.dtype.to_real().name, 0.0)
    return P.nan_to_num(
        input,
        nan=0.0 if nan is None else nan,
        posinf=largest if posinf is None else posinf,
        neginf=-largest if neginf is None else neginf,
    )


@public(inplace=True, aliases=("special.logit",))
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """log(input / (1 - input)), input first kept within [eps, 1 - eps]."""
    return P.logit(input, eps=None if eps is None or eps < 0 else float(eps))


@public()
def frexp(input: Tensor) -> Any:
    """(mantissa, exponent) with input = mantissa * 2 ** exponent and 0.5 <= |mantissa| < 1."""
    if not input.is_floating_point():
        raise refusal.runtime(
            f"torch.frexp() only supports floating-point dtypes, this input is {input.dtype!r}",
            fix="convert it with .float().",
        )
    return named("frexp", "mantissa", "exponent")(P.frexp(input))


@public(inplace=True)
def deg2rad(input: Tensor) -> Tensor:
    """Degrees as radians."""
    return times(input, 0.017453292519943295)


@public(inplace=True)
def rad2deg(input: Tensor) -> Tensor:
    """Radians as degrees."""
    return times(input, 57.29577951308232)


@public(out=False)
def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    if input.dtype is dtypes.bool_:
        raise refusal.runtime(
            "The `+` operator, on a bool tensor is not supported.", fix="convert it with .int()."
        )
    return input


# ---- closeness -----------------------------------------------------------------------------------


@public(out=False)
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> Tensor:
    """Whether |input - other| <= atol + rtol * |other|, element by element."""
    if input.dtype is not other.dtype:
        mine, theirs = (_short(t).capitalize() for t in (input, other))
        raise refusal.runtime(
            f"{mine} did not match {theirs}",
            "isclose",
            fix=f"convert one of them, e.g. other.to({input.dtype!r}).",
        )
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise refusal.runtime(
                f"{name} must be greater than or equal to zero, but got {value}", "isclose"
            )
    return P.isclose(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)


@public(out=False)
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are close; see isclose."""
    return bool(isclose(input, other, rtol, atol, equal_nan).all())


@public(out=False)
def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape and the same elements."""
    if not isinstance(other, TensorBase):
        raise refusal.wrong_type(
            f"equal(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}"
        )
    same = tuple(input.shape) == tuple(other.shape)  # type: ignore[attr-defined]
    return same and bool(P.eq(input, other).all())
