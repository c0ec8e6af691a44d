"""Each op of the table as operators of PyTorch, put before the handlers.

A function here gets what the op gets and returns what it returns; `call_table` has the ops that are
one call. An op without either is an operator of its own name if PyTorch has it, and else one of
ours (`torch.ops.chainrule.<op>`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.value import TensorBase
from ..ops.schema import Op
from .call_table import CALLS, called, is_whole, writing
from .calls import aten, exists, own

LOWERED: dict[str, Callable[..., Any]] = {}


def lowered(*names: str) -> Callable[[Any], Any]:
    """Declare how ops of these names are put before handlers."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names or (function.__name__.strip("_"),):
            LOWERED[name] = function
        return function

    return register


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float | complex)


def lower(op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
    """Put an op before the handlers; their result."""
    from . import lowering_nn, lowering_shapes  # noqa: F401 - they fill the table

    function = LOWERED.get(op.name) or called(op.name)
    if function is not None:
        made = function(*args, **params)
        if made is not NotImplemented:
            return made
    elif not params:
        name = _by_operands(op.name, args)
        if name is not None:
            return aten(name, *args)
    return own(op, args, params)


def _by_operands(name: str, args: tuple[Any, ...]) -> str | None:
    """The overload of an op without parameters that takes such operands."""
    if len(args) == 2 and _is_number(args[1]):
        order = ("Scalar", "Tensor_Scalar", "Scalar_Other", "Tensor", "default")
        if name == "floor_divide":
            order = ("default",)
        if name in ("add", "sub", "mul", "div"):
            order = ("Tensor",)
    elif len(args) == 2 and _is_number(args[0]):
        order = ("Scalar", "Scalar_Tensor", "Scalar_Self", "self_scalar")
    else:
        order = ("Tensor", "Tensor_Tensor", "default", "self")
    for kind in order:
        if exists(f"{name}.{kind}") and _fits(f"{name}.{kind}", args):
            return f"{name}.{kind}"
    return None


def _fits(name: str, args: tuple[Any, ...]) -> bool:
    from ..library import aten as table
    from .calls import overload

    kinds = [a.type for a in table.schema_of(overload(name)).arguments]
    if len(kinds) < len(args):
        return False
    for value, kind in zip(args, kinds, strict=False):
        if isinstance(value, TensorBase) != (kind in ("Tensor", "Tensor?")):
            if not (_is_number(value) and name.split(".")[0] in ("add", "sub", "mul", "div",
                                                                 "floor_divide")):  # fmt: skip
                return False
    return True


# ---- in place ------------------------------------------------------------------------------------


def lower_in_place(
    op: Op, x: Any, args: tuple[Any, ...], params: dict[str, Any], name: str
) -> None:
    """Put the writing form of an op before the handlers; else the op and a copy."""
    special = IN_PLACE.get(op.name) or writing(op.name)
    if special is not None and special(x, *args, **params) is not NotImplemented:
        return
    if not params and op.name not in LOWERED and op.name not in CALLS:
        found = _by_operands(op.name, (x, *args))
        if found is not None and exists(f"{_writing(found)}"):
            aten(_writing(found), x, *args)
            return
    written = _writing(f"{op.name}.default")
    if not params and exists(written) and name == f"{op.name}_":
        aten(written, x, *args)
        return
    aten("copy_.default", x, lower(op, (x, *args), params))


def _writing(name: str) -> str:
    packet, _, which = name.partition(".")
    return f"{packet}_.{which}"


IN_PLACE: dict[str, Callable[..., Any]] = {
    **{name: (lambda a, b, name=name: aten(f"{name}_.Tensor", a, b))
       for name in ("add", "sub", "mul", "div")},
    "clamp": lambda x, low, high: _clamp("clamp_", x, low, high),
    "clamp_min": lambda x, low: _clamp("clamp_", x, low, None),
    "clamp_max": lambda x, high: _clamp("clamp_", x, None, high),
    "pow": lambda x, e: aten(f"pow_.{'Scalar' if _is_number(e) else 'Tensor'}", x, e),
    "cumsum": lambda x, *, axis, reverse: NotImplemented if reverse else aten(
        "cumsum_.default", x, axis
    ),
    "lerp": lambda a, b, w: aten(f"lerp_.{'Scalar' if _is_number(w) else 'Tensor'}", a, b, w),
    "bitwise_left_shift": lambda a, b: aten(
        f"bitwise_left_shift_.{_kind(b)}", a, b
    ),
}  # fmt: skip


def _kind(b: Any) -> str:
    return "Tensor_Scalar" if _is_number(b) else "Tensor"


# ---- arithmetic ----------------------------------------------------------------------------------


@lowered()
def sub(a: Any, b: Any) -> Any:
    if _is_number(a):
        return aten("rsub.Scalar", b, a)
    return aten("sub.Tensor", a, b)


def _swapping(name: str) -> Callable[..., Any]:
    def function(a: Any, b: Any) -> Any:
        return aten(f"{name}.Tensor", *((b, a) if _is_number(a) else (a, b)))

    return function


LOWERED["add"], LOWERED["mul"] = _swapping("add"), _swapping("mul")


@lowered()
def div(a: Any, b: Any) -> Any:
    if _is_number(a):
        return aten("mul.Tensor", aten("reciprocal.default", b), a)
    return aten("div.Tensor", a, b)


@lowered("pow")
def power(a: Any, b: Any) -> Any:
    if _is_number(a):
        return aten("pow.Scalar", a, b)
    return aten("pow.Tensor_Scalar" if _is_number(b) else "pow.Tensor_Tensor", a, b)


@lowered()
def lerp(a: Any, b: Any, w: Any) -> Any:
    return aten(f"lerp.{'Scalar' if _is_number(w) else 'Tensor'}", a, b, w)


@lowered()
def div_floor(a: Any, b: Any) -> Any:
    return NotImplemented if _is_number(a) else aten("div.Tensor_mode", a, b, rounding_mode="floor")


@lowered()
def div_trunc(a: Any, b: Any) -> Any:
    return NotImplemented if _is_number(a) else aten("div.Tensor_mode", a, b, rounding_mode="trunc")


@lowered("round")
def rounded(x: Any, *, decimals: int) -> Any:
    return aten("round.decimals", x, decimals=decimals) if decimals else aten("round.default", x)


def _clamp(name: str, x: Any, low: Any, high: Any) -> Any:
    tensors = isinstance(low, TensorBase) or isinstance(high, TensorBase)
    if tensors and (_is_number(low) or _is_number(high)):
        return NotImplemented
    return aten(f"{name}.{'Tensor' if tensors else 'default'}", x, low, high)


@lowered()
def clamp(x: Any, low: Any, high: Any) -> Any:
    return _clamp("clamp", x, low, high)


@lowered()
def clamp_min(x: Any, low: Any) -> Any:
    return _clamp("clamp", x, low, None)


@lowered()
def clamp_max(x: Any, high: Any) -> Any:
    return _clamp("clamp", x, None, high)


@lowered()
def where(cond: Any, a: Any, b: Any) -> Any:
    numbers = [v for v in (a, b) if _is_number(v)]
    if len(numbers) == 2:
        return aten("where.Scalar", cond, a, b)
    like = a if isinstance(a, TensorBase) else b
    a, b = (_scalar_tensor(v, like) if _is_number(v) else v for v in (a, b))
    return aten("where.self", cond, a, b)


def _scalar_tensor(value: Any, like: Any) -> Any:
    from ..tensor.device import CPU
    from ..tensor.layouts import strided

    dtype = like.dtype  # where numbers are weak the type of the tensor counts
    if isinstance(value, complex) and not dtype.is_complex:
        return value
    if isinstance(value, float) and dtype.category < 2:
        from ..ops.dtypes import get_default_dtype

        dtype = get_default_dtype()
    return aten("scalar_tensor.default", value, dtype=dtype, layout=strided, device=CPU)


@lowered()
def masked_fill(x: Any, hit: Any, value: Any) -> Any:
    if _is_number(value):
        return aten("masked_fill.Scalar", x, hit, value)
    return aten("masked_fill.Tensor", x, hit, value)


@lowered()
def clone_contiguous(x: Any) -> Any:
    from ..tensor.layouts import contiguous_format

    return aten("clone.default", x, memory_format=contiguous_format)


# ---- reductions ----------------------------------------------------------------------------------


def _reducing(whole: str, axes: str) -> Callable[..., Any]:
    def function(x: Any, *, axis: Any, keepdims: bool) -> Any:
        if is_whole(x, axis, keepdims):
            return aten(whole, x)
        return aten(axes, x, list(axis), keepdims)

    return function


LOWERED["reduce_sum"] = _reducing("sum.default", "sum.dim_IntList")
LOWERED["reduce_mean"] = _reducing("mean.default", "mean.dim")


def _truths(name: str) -> Callable[..., Any]:
    def function(x: Any, *, axis: Any, keepdims: bool) -> Any:
        if is_whole(x, axis, keepdims):
            return aten(f"{name}.default", x)
        if len(axis) == 1:
            return aten(f"{name}.dim", x, axis[0], keepdims)
        return aten(f"{name}.dims", x, list(axis), keepdims)

    return function


LOWERED["reduce_any"], LOWERED["reduce_all"] = _truths("any"), _truths("all")


@lowered()
def count_nonzero(x: Any, *, axis: Any) -> Any:
    if len(axis) == x.ndim:
        return aten("count_nonzero.default", x)
    return aten("count_nonzero.dim_IntList", x, list(axis))


@lowered()
def cumsum(x: Any, *, axis: int, reverse: bool) -> Any:
    if reverse:
        turned = aten("flip.default", x, [axis])
        return aten("flip.default", aten("cumsum.default", turned, axis), [axis])
    return aten("cumsum.default", x, axis)


@lowered()
def cumprod(x: Any, *, axis: int, reverse: bool) -> Any:
    return NotImplemented if reverse else aten("cumprod.default", x, axis)


@lowered()
def logcumsumexp(x: Any, *, axis: int, reverse: bool) -> Any:
    return NotImplemented if reverse else aten("logcumsumexp.default", x, axis)


# ---- values with their places: one operator, two ops ---------------------------------------------


def _remember(pair: Any) -> Any:
    """The places of a pair; the values wait on them for the op that reads them."""
    values, places = pair
    if isinstance(places, TensorBase):
        places.__dict__["_values_there"] = values
    return places


def _values(read: Any, x: Any, index: Any, axis: int, keepdims: bool = True) -> Any:
    found = index.__dict__.pop("_values_there", None) if isinstance(index, TensorBase) else None
    if found is not None:
        return found
    if not keepdims:
        wide = aten("gather.default", x, axis, aten("unsqueeze.default", index, axis))
        return aten("squeeze.dim", wide, axis)
    return aten("gather.default", x, axis, index)


@lowered("sort_at", "topk_at", "cummax_at", "cummin_at")
def _read_lines(x: Any, index: Any, *, axis: int) -> Any:
    return _values(None, x, index, axis)


@lowered("max_at", "min_at", "median_at", "nanmedian_at", "mode_at", "kthvalue_at")
def _read_reduced(x: Any, index: Any, *, axis: int, keepdims: bool) -> Any:
    return _values(None, x, index, axis, keepdims)


def _last(x: Any, axis: int) -> int:
    """The last dimension as users leave it out."""
    return -1 if axis == x.ndim - 1 else axis


@lowered()
def argsort(x: Any, *, axis: int, descending: bool) -> Any:
    return _remember(aten("sort.default", x, _last(x, axis), descending))


@lowered()
def top_places(x: Any, *, k: int, axis: int, largest: bool) -> Any:
    return _remember(aten("topk.default", x, k, _last(x, axis), largest))


@lowered()
def kth_place(x: Any, *, k: int, axis: int, keepdims: bool) -> Any:
    return _remember(aten("kthvalue.default", x, k, axis, keepdims))


@lowered()
def median_place(x: Any, *, axis: int, keepdims: bool, skip_nan: bool) -> Any:
    name = "nanmedian.dim" if skip_nan else "median.dim"
    return _remember(aten(name, x, axis, keepdims))


@lowered()
def mode_place(x: Any, *, axis: int, keepdims: bool) -> Any:
    return _remember(aten("mode.default", x, axis, keepdims))


LOWERED["cummax_places"] = lambda x, *, axis: _remember(aten("cummax.default", x, axis))
LOWERED["cummin_places"] = lambda x, *, axis: _remember(aten("cummin.default", x, axis))


def finder(name: str) -> Callable[..., Any]:
    """How `max` and `min` along a dimension find places: with the values, in one operator."""

    def find(x: Any, *, axis: int, keepdims: bool) -> Any:
        return _remember(aten(f"{name}.dim", x, axis, keepdims))

    return find
