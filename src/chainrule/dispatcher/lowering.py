"""Each op of the table as operators of PyTorch, put before the handlers.

A function here gets what the op gets and returns what it returns. An op without one is an operator
of its own name if PyTorch has it, and else one of ours (`torch.ops.chainrule.<op>`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..autograd.value import TensorBase
from ..ops.dtypes import from_numpy_dtype
from ..ops.schema import Op
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

    function = LOWERED.get(op.name)
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
    special = IN_PLACE.get(op.name)
    if special is not None and special(x, *args, **params) is not NotImplemented:
        return
    if not params and op.name not in LOWERED:
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


def _index_put_in_place(x: Any, v: Any, *indices: Any, dims: Any, accumulate: bool) -> Any:
    return aten("index_put_.default", x, places_by_dim(x, indices, dims), v, accumulate)


def places_by_dim(x: Any, indices: Any, dims: Any) -> list[Any]:
    found: list[Any] = [None] * (max(dims) + 1)
    for d, i in zip(dims, indices, strict=True):
        found[d] = i
    return found


def _fill_uniform_in_place(x: Any, *, low: Any, high: Any, generator: Any) -> Any:
    return aten("uniform_.default", x, low, high, generator=generator)


def _fill_normal_in_place(x: Any, *, mean: Any, std: Any, generator: Any) -> Any:
    return aten("normal_.default", x, mean, std, generator=generator)


IN_PLACE: dict[str, Callable[..., Any]] = {
    **{name: (lambda a, b, name=name: aten(f"{name}_.Tensor", a, b))
       for name in ("add", "sub", "mul", "div")},
    "blank": lambda x: aten("zero_.default", x),
    "fill": lambda x, value: aten("fill_.Tensor", x, value),
    "fill_number": lambda x, *, value: aten("fill_.Scalar", x, value),
    "fill_bernoulli": lambda x, *, p, generator: aten(
        "bernoulli_.float", x, p, generator=generator
    ),
    "fill_exponential": lambda x, *, rate, generator: aten(
        "exponential_.default", x, rate, generator=generator
    ),
    "fill_integers": lambda x, *, low, high, generator: aten(
        "random_.from", x, low, high, generator=generator
    ),
    "fill_uniform": _fill_uniform_in_place,
    "fill_normal": _fill_normal_in_place,
    "index_put": _index_put_in_place,
    "masked_fill_number": lambda x, hit, *, value: aten("masked_fill_.Scalar", x, hit, value),
    "masked_fill": lambda x, hit, value: aten("masked_fill_.Tensor", x, hit, value),
    "scatter": lambda x, index, src, *, axis: aten("scatter_.src", x, axis, index, src),
    "scatter_add": lambda x, index, src, *, axis: aten("scatter_add_.default", x, axis, index, src),
    "index_add": lambda x, index, src, *, axis: aten("index_add_.default", x, axis, index, src),
    "index_copy": lambda x, index, src, *, axis: aten("index_copy_.default", x, axis, index, src),
    "clamp": lambda x, low, high: _clamp("clamp_", x, low, high),
    "clamp_min": lambda x, low: _clamp("clamp_", x, low, None),
    "clamp_max": lambda x, high: _clamp("clamp_", x, None, high),
    "pow": lambda x, e: aten(f"pow_.{'Scalar' if _is_number(e) else 'Tensor'}", x, e),
    "tril": lambda x, *, k: aten("tril_.default", x, k),
    "triu": lambda x, *, k: aten("triu_.default", x, k),
    "leaky_relu": lambda x, *, slope: aten("leaky_relu_.default", x, slope),
    "hardtanh": lambda x, *, low, high: aten("hardtanh_.default", x, low, high),
    "threshold": lambda x, *, limit, value: aten("threshold_.default", x, limit, value),
    "elu": lambda x, *, alpha, scale, rate: aten("elu_.default", x, alpha, scale, rate),
    "cumsum": lambda x, *, axis, reverse: NotImplemented if reverse else aten(
        "cumsum_.default", x, axis
    ),
    "lerp": lambda a, b, w: aten(f"lerp_.{'Scalar' if _is_number(w) else 'Tensor'}", a, b, w),
    "div_floor": lambda a, b: aten("div_.Tensor_mode", a, b, rounding_mode="floor"),
    "div_trunc": lambda a, b: aten("div_.Tensor_mode", a, b, rounding_mode="trunc"),
    "bitwise_left_shift": lambda a, b: aten(
        f"bitwise_left_shift_.{_kind(b)}", a, b
    ),
    "reciprocal": lambda x: aten("reciprocal_.default", x),
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
def square(x: Any) -> Any:
    return aten("pow.Tensor_Scalar", x, 2)


@lowered()
def lerp(a: Any, b: Any, w: Any) -> Any:
    return aten(f"lerp.{'Scalar' if _is_number(w) else 'Tensor'}", a, b, w)


@lowered()
def div_floor(a: Any, b: Any) -> Any:
    return NotImplemented if _is_number(a) else aten("div.Tensor_mode", a, b, rounding_mode="floor")


@lowered()
def div_trunc(a: Any, b: Any) -> Any:
    return NotImplemented if _is_number(a) else aten("div.Tensor_mode", a, b, rounding_mode="trunc")


@lowered()
def isclose(a: Any, b: Any, *, rtol: float, atol: float, equal_nan: bool) -> Any:
    return aten("isclose.default", a, b, rtol, atol, equal_nan)


@lowered("round")
def rounded(x: Any, *, decimals: int) -> Any:
    return aten("round.decimals", x, decimals=decimals) if decimals else aten("round.default", x)


@lowered()
def logit(x: Any, *, eps: Any) -> Any:
    return aten("logit.default", x, eps)


@lowered()
def nan_to_num(x: Any, *, nan: Any, posinf: Any, neginf: Any) -> Any:
    return aten("nan_to_num.default", x, nan, posinf, neginf)


@lowered()
def polygamma(x: Any, *, n: int) -> Any:
    return aten("polygamma.default", n, x)


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
def masked_fill_number(x: Any, hit: Any, *, value: Any) -> Any:
    return aten("masked_fill.Scalar", x, hit, value)


@lowered()
def cast(x: Any, *, dtype: Any) -> Any:
    return aten("_to_copy.default", x, dtype=from_numpy_dtype(dtype))


@lowered("clone", "clone_ordered")
def clone(x: Any, **order: Any) -> Any:
    return aten("clone.default", x)


@lowered()
def clone_contiguous(x: Any) -> Any:
    from ..tensor.layouts import contiguous_format

    return aten("clone.default", x, memory_format=contiguous_format)


@lowered("blank", "zeroed")
def blank(x: Any) -> Any:
    return aten("zeros_like.default", x)


@lowered()
def fill_number(x: Any, *, value: Any) -> Any:
    return aten("full_like.default", x, value)


@lowered()
def copy_value(x: Any) -> Any:
    return aten("clone.default", x)


LOWERED["conj"] = lambda x: aten("_conj_physical.default", x)
LOWERED["real"] = lambda x: aten("real.default", x)


# ---- reductions ----------------------------------------------------------------------------------


def _whole(x: Any, axis: Any, keepdims: bool) -> bool:
    return len(axis) == x.ndim and not keepdims


def _reducing(whole: str, axes: str) -> Callable[..., Any]:
    def function(x: Any, *, axis: Any, keepdims: bool) -> Any:
        if _whole(x, axis, keepdims):
            return aten(whole, x)
        return aten(axes, x, list(axis), keepdims)

    return function


LOWERED["reduce_sum"] = _reducing("sum.default", "sum.dim_IntList")
LOWERED["reduce_mean"] = _reducing("mean.default", "mean.dim")
LOWERED["logsumexp"] = lambda x, *, axis, keepdims: aten(
    "logsumexp.default", x, list(axis), keepdims
)


@lowered()
def nansum(x: Any, *, axis: Any, keepdims: bool) -> Any:
    return aten("nansum.default", x, None if _whole(x, axis, keepdims) else list(axis), keepdims)


def _extremes(name: str) -> Callable[..., Any]:
    def function(x: Any, *, axis: Any, keepdims: bool) -> Any:
        return aten(name, x, [] if _whole(x, axis, keepdims) else list(axis), keepdims)

    return function


LOWERED["reduce_max"], LOWERED["reduce_min"] = _extremes("amax.default"), _extremes("amin.default")
LOWERED["max_of_all"] = lambda x, *, axis, keepdims: aten("max.default", x)
LOWERED["min_of_all"] = lambda x, *, axis, keepdims: aten("min.default", x)


def _truths(name: str) -> Callable[..., Any]:
    def function(x: Any, *, axis: Any, keepdims: bool) -> Any:
        if _whole(x, axis, keepdims):
            return aten(f"{name}.default", x)
        if len(axis) == 1:
            return aten(f"{name}.dim", x, axis[0], keepdims)
        return aten(f"{name}.dims", x, list(axis), keepdims)

    return function


LOWERED["reduce_any"], LOWERED["reduce_all"] = _truths("any"), _truths("all")


def _places_of(name: str) -> Callable[..., Any]:
    def function(x: Any, *, axis: Any, keepdims: bool) -> Any:
        return aten(name, x, axis, keepdims)

    return function


LOWERED["argmax"] = _places_of("argmax.default")
LOWERED["argmin"] = _places_of("argmin.default")


def _moments(name: str) -> Callable[..., Any]:
    def function(x: Any, *, axis: Any, keepdims: bool, correction: Any) -> Any:
        dims = None if _whole(x, axis, keepdims) else list(axis)
        return aten(f"{name}.correction", x, dims, correction=correction, keepdim=keepdims)

    return function


LOWERED["reduce_var"], LOWERED["reduce_std"] = _moments("var"), _moments("std")


@lowered()
def reduce_prod(x: Any, *, axis: int, keepdims: bool) -> Any:
    return aten("prod.dim_int", x, axis, keepdims)


@lowered()
def reduce_norm(x: Any, *, axis: Any, keepdims: bool, order: Any) -> Any:
    dims = None if _whole(x, axis, keepdims) else list(axis)
    return aten("linalg_vector_norm.default", x, order, dims, keepdims)


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
