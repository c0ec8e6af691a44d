"""Element-wise functions as ONNX nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

import chainrule as torch

from .graph import Graph

CONVERTERS: dict[str, Any] = {}


def converts(*names: str) -> Any:
    """Enter a converter under the names of the functions it is for."""

    def enter(function: Any) -> Any:
        CONVERTERS.update(dict.fromkeys(names, function))
        return function

    return enter


def _number(g: Graph, value: Any, like: Any) -> str:
    return g.of(value, like if not isinstance(like, torch.Tensor) else like.dtype)


# ---- one operand ---------------------------------------------------------------------------------

_DIRECT = {
    "relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "exp": "Exp", "log": "Log",
    "sqrt": "Sqrt", "abs": "Abs", "absolute": "Abs", "neg": "Neg", "negative": "Neg",
    "__neg__": "Neg", "__abs__": "Abs", "sin": "Sin", "cos": "Cos", "tan": "Tan", "asin": "Asin",
    "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh", "asinh": "Asinh",
    "acosh": "Acosh", "atanh": "Atanh", "floor": "Floor", "ceil": "Ceil", "round": "Round",
    "erf": "Erf", "sign": "Sign", "reciprocal": "Reciprocal", "softsign": "Softsign",
    "expit": "Sigmoid", "arcsin": "Asin", "arccos": "Acos", "arctan": "Atan", "selu": "Selu",
}  # fmt: skip


def _direct(op: str) -> Any:
    def convert(g: Graph, input: Any, inplace: bool = False, *, out: Any = None) -> str:
        return g.add(op, g.of(input, g.result.dtype))

    return convert


CONVERTERS.update({name: _direct(op) for name, op in _DIRECT.items()})
CONVERTERS["isnan"] = lambda g, x: g.add("IsNaN", g.of(x))
CONVERTERS["isinf"] = lambda g, x: g.add("IsInf", g.of(x))
CONVERTERS["hardsigmoid"] = lambda g, x, inplace=False: g.add(
    "HardSigmoid", g.of(x), alpha=1 / 6, beta=0.5
)


@converts("contiguous", "clone", "detach", "positive", "__pos__", "alias", "requires_grad_",
          "data", "identity", "resolve_conj", "resolve_neg", "real", "conj", "view_as_self",
          "__copy__", "__deepcopy__", "lift_fresh")  # fmt: skip
def _same(g: Graph, input: Any, *args: Any, **kwargs: Any) -> str:
    return g.add("Identity", g.of(input))


@converts("to", "type", "float", "double", "half", "bfloat16", "long", "int", "short", "char",
          "byte", "bool", "type_as", "cpu", "cuda")  # fmt: skip
def _cast(g: Graph, input: Any, *args: Any, **kwargs: Any) -> str:
    if input.dtype == g.result.dtype:
        return g.add("Identity", g.of(input))
    return g.cast(g.of(input), g.result.dtype)


@converts("logical_not", "__invert__", "bitwise_not")
def _not(g: Graph, input: Any) -> str:
    if input.dtype != torch.bool and g.result.dtype != torch.bool:
        raise NotImplementedError("bits of integers")
    return g.add("Not", g.of(input, torch.bool))


@converts("relu6")
def _relu6(g: Graph, input: Any, inplace: bool = False) -> str:
    return g.add("Clip", g.of(input), _number(g, 0, input), _number(g, 6, input))


@converts("hardtanh")
def _hardtanh(g: Graph, input: Any, min_val: float = -1.0, max_val: float = 1.0,
              inplace: bool = False) -> str:  # fmt: skip
    return g.add("Clip", g.of(input), _number(g, min_val, input), _number(g, max_val, input))


@converts("elu")
def _elu(g: Graph, input: Any, alpha: float = 1.0, inplace: bool = False) -> str:
    return g.add("Elu", g.of(input), alpha=float(alpha))


@converts("celu")
def _celu(g: Graph, input: Any, alpha: float = 1.0, inplace: bool = False) -> str:
    return g.add("Celu", g.of(input), alpha=float(alpha))


@converts("leaky_relu")
def _leaky_relu(g: Graph, input: Any, negative_slope: float = 0.01, inplace: bool = False) -> str:
    return g.add("LeakyRelu", g.of(input), alpha=float(negative_slope))


@converts("prelu")
def _prelu(g: Graph, input: Any, weight: Any) -> str:
    slope = g.of(weight)
    if weight.numel() > 1 and input.ndim > 2:
        slope = g.add("Reshape", slope, g.ints([-1] + [1] * (input.ndim - 2)))
    return g.add("PRelu", g.of(input), slope)


@converts("softplus")
def _softplus(g: Graph, input: Any, beta: float = 1.0, threshold: float = 20.0) -> str:
    scaled = g.add("Mul", g.of(input), _number(g, beta, input))
    soft = g.add("Div", g.add("Softplus", scaled), _number(g, beta, input))
    return g.add("Where", g.add("Greater", scaled, _number(g, threshold, input)), g.of(input), soft)


@converts("nan_to_num")
def _nan_to_num(g: Graph, input: Any, nan: float = 0.0, posinf: Any = None,
                neginf: Any = None) -> str:  # fmt: skip
    limits = torch.finfo(input.dtype)
    x = g.add("Where", g.add("IsNaN", g.of(input)), _number(g, nan or 0.0, input), g.of(input))
    low = limits.min if neginf is None else neginf
    high = limits.max if posinf is None else posinf
    return g.add("Clip", x, _number(g, low, input), _number(g, high, input))


@converts("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout",
          "feature_alpha_dropout", "feature_dropout")  # fmt: skip
def _dropout(g: Graph, input: Any, p: float = 0.5, training: bool = True,
             inplace: bool = False) -> str:  # fmt: skip
    if training and p > 0:
        raise NotImplementedError("dropout in training mode draws random numbers; use .eval()")
    return g.add("Identity", g.of(input))


# ---- two operands --------------------------------------------------------------------------------


def _binary(op: str, reflected: bool = False) -> Any:
    def convert(g: Graph, input: Any, other: Any, *, alpha: Any = 1, out: Any = None) -> str:
        kind = g.result.dtype
        a, b = (other, input) if reflected else (input, other)
        right = g.of(b, kind)
        if alpha != 1:
            right = g.add("Mul", right, g.of(alpha, kind))
        return g.add(op, g.of(a, kind), right)

    return convert


_BINARY = {
    "Add": "add __add__ __radd__", "Sub": "sub subtract __sub__",
    "Mul": "mul multiply __mul__ __rmul__", "Pow": "__pow__", "Max": "maximum", "Min": "minimum",
}  # fmt: skip
CONVERTERS.update({n: _binary(op) for op, names in _BINARY.items() for n in names.split()})
CONVERTERS["__rsub__"] = CONVERTERS["rsub"] = _binary("Sub", reflected=True)
CONVERTERS["__rpow__"] = _binary("Pow", reflected=True)
CONVERTERS["__rtruediv__"] = CONVERTERS["__rdiv__"] = _binary("Div", reflected=True)


@converts("pow", "float_power")
def _pow(g: Graph, input: Any, exponent: Any) -> str:
    kind = g.result.dtype
    if not isinstance(exponent, torch.Tensor) and exponent == 2:
        return g.add("Mul", g.of(input, kind), g.of(input, kind))
    return g.add("Pow", g.of(input, kind), g.of(exponent, kind))


@converts("div", "divide", "true_divide", "__truediv__", "__div__")
def _div(g: Graph, input: Any, other: Any, *, rounding_mode: Any = None) -> str:
    kind = g.result.dtype
    if rounding_mode == "floor":
        return _floor_divide(g, input, other)
    found = g.add("Div", g.of(input, kind), g.of(other, kind))
    if rounding_mode == "trunc" and kind.is_floating_point:
        return g.add("Mul", g.add("Floor", g.add("Abs", found)), g.add("Sign", found))
    return found


@converts("floor_divide", "__floordiv__")
def _floor_divide(g: Graph, input: Any, other: Any) -> str:
    kind = g.result.dtype
    a, b = g.of(input, kind), g.of(other, kind)
    if kind.is_floating_point:
        return g.add("Floor", g.add("Div", a, b))
    return g.add("Div", g.add("Sub", a, g.add("Mod", a, b)), b)  # ONNX cuts off, Mod rounds down


@converts("remainder", "__mod__")
def _remainder(g: Graph, input: Any, other: Any) -> str:
    kind = g.result.dtype
    a, b = g.of(input, kind), g.of(other, kind)
    if not kind.is_floating_point:
        return g.add("Mod", a, b)
    return g.add("Sub", a, g.add("Mul", g.add("Floor", g.add("Div", a, b)), b))


@converts("fmod")
def _fmod(g: Graph, input: Any, other: Any) -> str:
    kind = g.result.dtype
    return g.add("Mod", g.of(input, kind), g.of(other, kind), fmod=1)


def _comparison(op: str, negated: bool = False) -> Any:
    def convert(g: Graph, input: Any, other: Any) -> str:
        kind = torch.result_type(input, other)
        if op == "Equal" or kind != torch.bool:
            found = g.add(op, g.of(input, kind), g.of(other, kind))
        else:
            found = g.add(op, g.of(input, torch.int32), g.of(other, torch.int32))
        return g.add("Not", found) if negated else found

    return convert


_COMPARISONS = {
    "Equal": "eq", "Less": "lt less", "LessOrEqual": "le less_equal", "Greater": "gt greater",
    "GreaterOrEqual": "ge greater_equal",
}  # fmt: skip
for _op, _names in _COMPARISONS.items():
    for _name in _names.split():
        CONVERTERS[_name] = CONVERTERS[f"__{_name}__"] = _comparison(_op)
for _name in ("ne", "not_equal", "__ne__"):
    CONVERTERS[_name] = _comparison("Equal", negated=True)


def _logical(op: str) -> Any:
    def convert(g: Graph, input: Any, other: Any) -> str:
        if g.result.dtype != torch.bool:
            raise NotImplementedError("bits of integers")
        return g.add(op, g.of(input, torch.bool), g.of(other, torch.bool))

    return convert


for _op, _name in {"And": "and", "Or": "or", "Xor": "xor"}.items():
    for _full in (f"logical_{_name}", f"bitwise_{_name}", f"__{_name}__", f"__r{_name}__"):
        CONVERTERS[_full] = _logical(_op)


@converts("clamp", "clip")
def _clamp(g: Graph, input: Any, min: Any = None, max: Any = None) -> str:
    kind = g.result.dtype
    found = g.of(input, kind)
    if min is not None:
        found = g.add("Max", found, g.of(min, kind))
    return found if max is None else g.add("Min", found, g.of(max, kind))


@converts("clamp_min")
def _clamp_min(g: Graph, input: Any, min: Any) -> str:
    return _clamp(g, input, min)


@converts("clamp_max")
def _clamp_max(g: Graph, input: Any, max: Any) -> str:
    return _clamp(g, input, None, max)


@converts("where")
def _where(g: Graph, condition: Any, input: Any = None, other: Any = None) -> str:
    if input is None:
        raise NotImplementedError("where with a condition alone")
    kind = g.result.dtype
    return g.add("Where", g.of(condition, torch.bool), g.of(input, kind), g.of(other, kind))


@converts("masked_fill")
def _masked_fill(g: Graph, input: Any, mask: Any, value: Any) -> str:
    return g.add("Where", g.of(mask, torch.bool), g.of(value, input.dtype), g.of(input))


# ---- made from sizes or shapes -------------------------------------------------------------------


def _filled(g: Graph, sizes: str, value: Any) -> str:
    return g.add("Expand", g.of(value, g.result.dtype), sizes)


def _size_list(size: Any) -> list[Any]:
    return list(size[0]) if len(size) == 1 and isinstance(size[0], list | tuple) else list(size)


@converts("zeros", "new_zeros", "empty", "new_empty")
def _zeros(g: Graph, *size: Any, **kwargs: Any) -> str:
    given = size[1:] if isinstance(size[0], torch.Tensor) else size
    return _filled(g, g.sizes(_size_list(given) or list(kwargs["size"])), 0)


@converts("ones", "new_ones")
def _ones(g: Graph, *size: Any, **kwargs: Any) -> str:
    given = size[1:] if isinstance(size[0], torch.Tensor) else size
    return _filled(g, g.sizes(_size_list(given) or list(kwargs["size"])), 1)


@converts("full")
def _full(g: Graph, size: Any, fill_value: Any, **kwargs: Any) -> str:
    return _filled(g, g.sizes(list(size)), fill_value)


@converts("new_full")
def _new_full(g: Graph, input: Any, size: Any, fill_value: Any, **kwargs: Any) -> str:
    return _filled(g, g.sizes(list(size)), fill_value)


@converts("zeros_like", "empty_like")
def _zeros_like(g: Graph, input: Any, **kwargs: Any) -> str:
    return _filled(g, g.add("Shape", g.of(input)), 0)


@converts("ones_like")
def _ones_like(g: Graph, input: Any, **kwargs: Any) -> str:
    return _filled(g, g.add("Shape", g.of(input)), 1)


@converts("full_like")
def _full_like(g: Graph, input: Any, fill_value: Any, **kwargs: Any) -> str:
    return _filled(g, g.add("Shape", g.of(input)), fill_value)


@converts("arange")
def _arange(g: Graph, start: Any = 0, end: Any = None, step: Any = 1, **kwargs: Any) -> str:
    if end is None:
        start, end = 0, start
    kind = g.result.dtype
    return g.add("Range", g.of(start, kind), g.of(end, kind), g.of(step, kind))


@converts("one_hot")
def _one_hot(g: Graph, input: Any, num_classes: int = -1) -> str:
    if num_classes < 0:
        raise NotImplementedError("one_hot needs num_classes: it would depend on the values")
    values = g.constant(np.array([0, 1], np.int64))
    return g.add("OneHot", g.of(input), g.ints([num_classes]), values, axis=-1)
