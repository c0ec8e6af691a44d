"""Tensors of quantized integers: integers with the scale and zero point that make them numbers.

They are stored and moved; arithmetic is done by the layers that know how (`dynamic_layers.py`,
`static_layers.py`), or after `dequantize()`.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import chainrule as torch

from ...autograd import refusal
from ...autograd.accidents import explain_module
from ...tensor.overriding import DisableTorchFunctionSubclass, notice
from .formats import QuantizedFormat, per_channel_affine, per_tensor_affine, qint8, qint32, quint8

_INTEGERS = {"qint8": torch.int8, "quint8": torch.uint8, "qint32": torch.int32}
# What moves elements about, or compares those of one scale.
_MOVES = frozenset(
    "reshape view flatten permute transpose t contiguous clone detach cpu __getitem__ unsqueeze "
    "squeeze narrow select expand unflatten chunk split unbind movedim cat stack index_select "
    "max min amax amin sort flip roll repeat max_pool1d max_pool2d pixel_shuffle "
    "channel_shuffle unfold swapaxes to".split()
)
_NUMBERS = frozenset("avg_pool2d adaptive_avg_pool2d avg_pool1d mean interpolate".split())
_OF_THE_OBJECT = frozenset("__get__ dim size numel stride is_contiguous __len__ <lambda>".split())
_SAME = frozenset("dropout dropout2d identity".split())


class QuantizedTensor(torch.Tensor):
    """(integers - zero point) * scale, with one scale, or one for each slice along an axis."""

    _integers: Any
    _scale: Any
    _zero_point: Any
    _axis: int | None
    _format: QuantizedFormat

    def __new__(
        cls, integers: Any, scale: Any, zero_point: Any, form: QuantizedFormat,
        axis: int | None = None,
    ) -> Any:  # fmt: skip
        made = integers.detach()
        made.__class__ = cls
        notice(cls)
        made.__dict__.update(
            _integers=integers, _scale=scale, _zero_point=zero_point, _axis=axis, _format=form
        )
        return made

    def __init__(self, *args: Any) -> None:
        pass

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return _handle(func, args, kwargs or {})

    dtype = property(lambda self: self._format)
    is_quantized = property(lambda self: True)
    shape = property(lambda self: self._integers.shape)
    requires_grad = property(lambda self: False)
    grad_fn = property(lambda self: None)

    def element_size(self) -> int:
        """Bytes per element."""
        return self._integers.element_size()

    def int_repr(self) -> Any:
        """The integers."""
        return self._integers.clone()

    def dequantize(self) -> Any:
        """The numbers, as float32."""
        if self._axis is None:
            return (self._integers.float() - self._zero_point) * self._scale
        shape = [-1 if d == self._axis else 1 for d in range(self._integers.ndim)]
        zero = self._zero_point.reshape(shape)
        return (self._integers - zero).float() * self._scale.float().reshape(shape)

    def qscheme(self) -> Any:
        """Whether there is one scale or several."""
        return per_tensor_affine if self._axis is None else per_channel_affine

    def q_scale(self) -> float:
        """The one scale."""
        self._need(False, "q_scale")
        return self._scale

    def q_zero_point(self) -> int:
        """The one zero point."""
        self._need(False, "q_zero_point")
        return self._zero_point

    def q_per_channel_scales(self) -> Any:
        """The scales."""
        self._need(True, "q_per_channel_scales")
        return self._scale

    def q_per_channel_zero_points(self) -> Any:
        """The zero points."""
        self._need(True, "q_per_channel_zero_points")
        return self._zero_point

    def q_per_channel_axis(self) -> int | None:
        """The axis of the slices."""
        self._need(True, "q_per_channel_axis")
        return self._axis

    def _need(self, channels: bool, name: str) -> None:
        if channels != (self._axis is not None):
            kind = "per-channel" if channels else "per-tensor"
            raise refusal.runtime(
                f"Expected quantizer to be a {kind} one: {name} of a tensor of {self.qscheme()!r}"
            )

    def _like(self, integers: Any) -> QuantizedTensor:
        return QuantizedTensor(integers, self._scale, self._zero_point, self._format, self._axis)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        text = repr(self.dequantize()).removesuffix(")")
        facts = [f"size={tuple(self.shape)}", f"dtype={self._format!r}"]
        facts.append(f"quantization_scheme={self.qscheme()!r}")
        facts += [f"scale={self._scale}", f"zero_point={self._zero_point}"]
        if self._axis is not None:
            facts.append(f"axis={self._axis}")
        width = len(text) - text.rfind("\n") - 1
        for fact in facts:
            if width + len(fact) + 2 > 80:
                text, width = f"{text},\n       {fact}", 7 + len(fact)
            else:
                text, width = f"{text}, {fact}", width + len(fact) + 2
        return text + ")"

    __str__ = __repr__

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        made = memo[id(self)] = self._like(self._integers.clone())
        return made

    def __reduce_ex__(self, protocol: Any) -> Any:
        with DisableTorchFunctionSubclass():
            parts = (self._integers, self._scale, self._zero_point, self._format, self._axis)
            return QuantizedTensor, parts


def _handle(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A function of the library that was given a quantized tensor."""
    name = getattr(func, "__name__", "")
    if name in _OF_THE_OBJECT:
        with DisableTorchFunctionSubclass():
            return func(*args, **kwargs)
    first = _first(args)
    if name in ("relu", "relu_", "clamp_min") and first._axis is None:
        return first._like(first._integers.clamp(min=first._zero_point))
    if name in _SAME:
        return first
    if name in _MOVES and (first._axis is None or name in ("clone", "detach", "contiguous", "cpu")):
        return _each(func(*_integers(args, first), **kwargs), first)
    if name in _NUMBERS and first._axis is None:
        found = func(first.dequantize(), *args[1:], **kwargs)
        return quantize_per_tensor(found, first._scale, first._zero_point, first._format)
    _refuse(name, first)


def _first(args: Any) -> QuantizedTensor:
    for a in args:
        if isinstance(a, QuantizedTensor):
            return a
        if isinstance(a, list | tuple):
            return _first(a)
    raise TypeError("no quantized tensor among the arguments")


def _integers(args: Any, first: QuantizedTensor) -> list[Any]:
    made: list[Any] = []
    for a in args:
        if isinstance(a, list | tuple) and any(isinstance(b, QuantizedTensor) for b in a):
            made.append(_integers(a, first))
            continue
        if isinstance(a, QuantizedTensor):
            if (a._scale, a._zero_point) != (first._scale, first._zero_point):
                _refuse("a function of tensors with other scales", first)
            a = a._integers
        made.append(a)
    return made


def _each(found: Any, like: QuantizedTensor) -> Any:
    if isinstance(found, torch.Tensor):
        return like._like(found) if found.dtype is like._integers.dtype else found
    return (
        type(found)(_each(each, like) for each in found)
        if isinstance(found, list)
        else tuple(_each(each, like) for each in found)
    )


def _refuse(name: str, t: QuantizedTensor) -> NoReturn:
    raise refusal.not_implemented(
        f"Could not run '{name}' with arguments from the 'QuantizedCPU' backend: a tensor of "
        f"{t._format!r} and shape {list(t.shape)}",
        fix="x.dequantize() first.",
    )


def _check(form: Any) -> Any:
    if not isinstance(form, QuantizedFormat) or form.name not in _INTEGERS:
        raise refusal.runtime(
            f"dtype {form!r} is no format of quantized tensors here: torch.qint8, torch.quint8, "
            "torch.qint32"
        )
    return _INTEGERS[form.name]


def _check_zero_points(least: int, most: int, form: Any) -> None:
    for zero, allowed, where in (
        (least, least >= form.low, "below lower"),
        (most, most <= form.high, "above upper"),
    ):
        if not allowed:
            raise refusal.runtime(
                f"zero_point {zero} is {where} bound: integers of {form!r} lie between {form.low} "
                f"and {form.high}"
            )


def _checked_axis(x: Any, scales: Any, zero_points: Any, axis: int) -> int:
    """The axis of the slices, which must have one scale and one zero point each."""
    if not -x.ndim <= axis < x.ndim:
        raise refusal.runtime(
            f"Channel axis out of range in per channel affine quantization: {axis} of a tensor "
            f"with {x.ndim} dimensions"
        )
    if scales.numel() != zero_points.numel():
        raise refusal.runtime(
            f"number of elements in scales and zero_points must match: {scales.numel()} and "
            f"{zero_points.numel()}"
        )
    if scales.numel() != x.shape[axis]:
        raise refusal.runtime(
            f"length of scales must equal to channel, expected {x.shape[axis]} got, "
            f"{scales.numel()}"
        )
    return axis % x.ndim


def quantize_per_tensor(input: Any, scale: Any, zero_point: Any, dtype: Any) -> Any:  # noqa: A002
    """Numbers rounded to multiples of one scale.

    >>> import chainrule as torch
    >>> x = torch.quantize_per_tensor(torch.tensor([0.0, 0.26, 9.0]), 0.1, 0, torch.qint8)
    >>> x.int_repr(), x.dequantize()
    (tensor([ 0,  3, 90], dtype=torch.int8), tensor([0.0000, 0.3000, 9.0000]))
    """
    integer = _check(dtype)
    step, zero = float(scale), int(zero_point)
    _check_zero_points(zero, zero, dtype)
    steps_in_one = 1.0 / step if step else math.copysign(math.inf, step)  # as floats divide
    counted = torch.round(input.detach().float() * steps_in_one + zero)
    return QuantizedTensor(counted.clamp(dtype.low, dtype.high).to(integer), step, zero, dtype)


def quantize_per_channel(
    input: Any,  # noqa: A002
    scales: Any,
    zero_points: Any,
    axis: int,
    dtype: Any,
) -> Any:
    """Numbers rounded to multiples of one scale for each slice along an axis."""
    integer = _check(dtype)
    axis = _checked_axis(input, scales, zero_points, axis)
    if zero_points.numel():
        _check_zero_points(int(zero_points.min()), int(zero_points.max()), dtype)
    shape = [-1 if d == axis else 1 for d in range(input.ndim)]
    steps, zeros = scales.double(), zero_points.long()
    scaled = input.detach().float() * (1.0 / steps.float()).reshape(shape)
    counted = torch.round(scaled + zeros.reshape(shape)).clamp(dtype.low, dtype.high)
    return QuantizedTensor(counted.to(integer), steps, zeros, dtype, axis)


def quantize_per_tensor_dynamic(input: Any, dtype: Any, reduce_range: bool) -> Any:  # noqa: A002
    """Numbers rounded to multiples of a scale that their range decides."""
    _check(dtype)
    low, high = (dtype.low // 2, dtype.high // 2) if reduce_range else (dtype.low, dtype.high)
    scale, zero = choose_scale(input, low, high)
    return quantize_per_tensor(input, scale, zero, dtype)


def choose_scale(x: Any, low: int, high: int) -> tuple[float, int]:
    """(scale, zero point) so that the range of x, and zero, fall between two integers."""
    least, most = (min(float(x.min()), 0.0), max(float(x.max()), 0.0)) if x.numel() else (0.0, 0.0)
    scale = (most - least) / (high - low)
    if scale == 0.0 or 1.0 / scale == float("inf"):
        scale = 0.1
    from_least, from_most = low - least / scale, high - most / scale
    closer = abs(low) - abs(least / scale) < abs(high) - abs(most / scale)
    return scale, int(min(max(round(from_least if closer else from_most), low), high))


def dequantize(tensor: Any) -> Any:
    """The numbers of a quantized tensor, or of several."""
    if isinstance(tensor, list | tuple):
        return tuple(dequantize(t) for t in tensor)
    return tensor.dequantize() if isinstance(tensor, QuantizedTensor) else tensor


def _ask(name: str) -> Any:
    def question(input: Any) -> Any:  # noqa: A002
        if not isinstance(input, QuantizedTensor):
            raise refusal.not_implemented(
                f"{name}() needs a quantized tensor", fix="torch.quantize_per_tensor makes one."
            )
        return getattr(input, name)()

    question.__name__ = question.__qualname__ = name
    question.__doc__ = getattr(QuantizedTensor, name).__doc__
    return question


int_repr, q_scale, q_zero_point = _ask("int_repr"), _ask("q_scale"), _ask("q_zero_point")
q_per_channel_axis = _ask("q_per_channel_axis")
q_per_channel_scales = _ask("q_per_channel_scales")
q_per_channel_zero_points = _ask("q_per_channel_zero_points")

__all__ = [
    "QuantizedTensor", "choose_scale", "dequantize", "int_repr", "q_per_channel_axis",
    "q_per_channel_scales", "q_per_channel_zero_points", "q_scale", "q_zero_point", "qint8",
    "qint32", "quantize_per_channel", "quantize_per_tensor", "quantize_per_tensor_dynamic",
    "quint8",
]  # fmt: skip

explain_module(
    globals(),
    "quantize_per_tensor", "quantize_per_channel", "quantize_per_tensor_dynamic", "dequantize",
    "int_repr", "q_scale", "q_zero_point", "q_per_channel_axis", "q_per_channel_scales",
    "q_per_channel_zero_points",
)  # fmt: skip
