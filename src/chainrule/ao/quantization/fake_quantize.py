"""Fake quantization: the rounding of a quantized format, computed in floating point.

Training with it lets a network get used to the rounding: gradients pass where the value was inside
the format's range.
"""

from __future__ import annotations

import functools
from typing import Any

import chainrule as torch
from chainrule import nn

from ...autograd.accidents import explain_module
from ...autograd.function import Function
from ...standins import add_to as _add_stand_ins
from .formats import per_channel_symmetric, per_tensor_affine, per_tensor_symmetric, qint8, quint8
from .observer import (
    FixedQParamsObserver,
    MovingAverageMinMaxObserver,
    MovingAveragePerChannelMinMaxObserver,
    _Factory,
)


class _RoundToFormat(Function):
    """The nearest number of a format; gradients pass inside its range."""

    @staticmethod
    def forward(ctx: Any, x: Any, scale: Any, zero: Any, low: int, high: int) -> Any:
        steps = torch.round(x * (1.0 / scale)) + zero
        ctx.save_for_backward((steps >= low) & (steps <= high))
        return ((steps.clamp(low, high) - zero) * scale).to(x.dtype)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        (inside,) = ctx.saved_tensors
        return grads[0] * inside, None, None, None, None


def _check(low: int, high: int, zero: Any) -> None:
    if low > high:
        raise RuntimeError(
            f"`quant_min` should be less than or equal to `quant_max`: {low}, {high}"
        )
    if bool((zero < low).any()) or bool((zero > high).any()):
        raise RuntimeError("`zero_point` must be between `quant_min` and `quant_max`.")


def fake_quantize_per_tensor_affine(
    input: Any,  # noqa: A002
    scale: Any,
    zero_point: Any,
    quant_min: int,
    quant_max: int,
) -> Any:
    """Round to the nearest of the numbers (q - zero_point) * scale, q from quant_min to quant_max.

    >>> import chainrule as torch
    >>> x = torch.tensor([-3.0, 0.26, 5.0], requires_grad=True)
    >>> y = torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 31)
    >>> y.sum().backward()
    >>> y.detach(), x.grad
    (tensor([-0.3000,  0.3000,  2.8000]), tensor([0., 1., 0.]))
    """
    scale = torch.as_tensor(scale, dtype=input.dtype)
    zero = torch.as_tensor(zero_point).to(input.dtype)
    _check(quant_min, quant_max, zero)
    return _RoundToFormat.apply(input, scale, zero, quant_min, quant_max)


def fake_quantize_per_channel_affine(
    input: Any,  # noqa: A002
    scale: Any,
    zero_point: Any,
    axis: int,
    quant_min: int,
    quant_max: int,
) -> Any:
    """As `fake_quantize_per_tensor_affine`, with a scale and zero point for each slice."""
    if scale.shape != (input.shape[axis],) or zero_point.shape != scale.shape:
        raise RuntimeError(
            "dimensions of scale and zero-point are not consistent with input tensor: "
            f"{list(scale.shape)}, {list(zero_point.shape)} for axis {axis} of {list(input.shape)}"
        )
    _check(quant_min, quant_max, zero_point)
    shape = [1] * input.ndim
    shape[axis] = -1
    scale, zero = scale.to(input.dtype).reshape(shape), zero_point.to(input.dtype).reshape(shape)
    return _RoundToFormat.apply(input, scale, zero, quant_min, quant_max)


class FakeQuantizeBase(nn.Module):
    """Switches for observing and rounding."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.uint8))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.uint8))

    def forward(self, x: Any) -> Any:
        """What a subclass makes of the values."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def calculate_qparams(self, **kwargs: Any) -> Any:
        """(scale, zero point), as a subclass finds them."""
        raise NotImplementedError(f"{type(self).__name__} has no calculate_qparams")

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Round from now on."""
        self.fake_quant_enabled[0] = 1 if enabled else 0

    def disable_fake_quant(self) -> None:
        """Let values pass from now on."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Adapt the range from now on."""
        self.observer_enabled[0] = 1 if enabled else 0

    def disable_observer(self) -> None:
        """Keep the range from now on."""
        self.enable_observer(False)

    @classmethod
    def with_args(cls, **kwargs: Any) -> _Factory:
        """Modules with these arguments, to be made later."""
        return _Factory(functools.partial(cls, **kwargs))


class FakeQuantize(FakeQuantizeBase):
    """Observes, and rounds as the observed range demands."""

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int | None = None,
        quant_max: int | None = None,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__()
        if quant_min is not None and quant_max is not None:
            observer_kwargs |= {"quant_min": quant_min, "quant_max": quant_max}
        self.register_buffer("scale", torch.tensor([1.0]))
        self.register_buffer("zero_point", torch.tensor([0], dtype=torch.int32))
        self.activation_post_process = observer(**observer_kwargs)
        made = self.activation_post_process
        self.quant_min, self.quant_max = made.quant_min, made.quant_max
        self.is_dynamic = is_dynamic
        self.dtype, self.qscheme = made.dtype, made.qscheme
        self.ch_axis = getattr(made, "ch_axis", -1)
        self.is_per_channel = "per_channel" in made.qscheme.name

    def calculate_qparams(self) -> Any:
        """(scale, zero point) for what was seen."""
        return self.activation_post_process.calculate_qparams()

    def forward(self, X: Any) -> Any:
        """The input, rounded while that is switched on."""
        if self.observer_enabled[0] == 1:
            self.activation_post_process(X.detach())
            scale, zero = self.calculate_qparams()
            self.scale = scale.to(torch.float32)
            self.zero_point = zero.to(torch.int32)
        if self.fake_quant_enabled[0] == 0:
            return X
        limits = (self.quant_min, self.quant_max)
        if self.is_per_channel:
            return fake_quantize_per_channel_affine(
                X, self.scale, self.zero_point, self.ch_axis, *limits
            )
        return fake_quantize_per_tensor_affine(X, self.scale, self.zero_point, *limits)

    def extra_repr(self) -> str:
        return (
            f"fake_quant_enabled={self.fake_quant_enabled}, "
            f"observer_enabled={self.observer_enabled}, quant_min={self.quant_min}, "
            f"quant_max={self.quant_max}, dtype={self.dtype}, qscheme={self.qscheme}, "
            f"ch_axis={self.ch_axis}, scale={self.scale}, zero_point={self.zero_point}"
        )

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *args: Any) -> None:
        for name in ("scale", "zero_point"):  # one for each slice, which only the file knows
            saved = state_dict.get(prefix + name)
            if isinstance(saved, torch.Tensor):
                setattr(self, name, torch.empty_like(saved))
        super()._load_from_state_dict(state_dict, prefix, *args)


class FixedQParamsFakeQuantize(FakeQuantize):
    """Rounds with a scale and zero point that are given."""

    def __init__(self, observer: Any) -> None:
        super().__init__(observer=observer)
        self.scale, self.zero_point = self.activation_post_process.calculate_qparams()


class FusedMovingAvgObsFakeQuantize(FakeQuantize):
    """The same as FakeQuantize: one step here is observing and rounding anyway."""

    def __init__(
        self,
        observer: Any = MovingAverageMinMaxObserver,
        quant_min: int = 0,
        quant_max: int = 255,
        is_dynamic: bool = False,
        **observer_kwargs: Any,
    ) -> None:
        super().__init__(observer, quant_min, quant_max, is_dynamic, **observer_kwargs)


default_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=0, quant_max=255, dtype=quint8,
    qscheme=per_tensor_affine, reduce_range=True,
)  # fmt: skip
default_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAverageMinMaxObserver, quant_min=-128, quant_max=127, dtype=qint8,
    qscheme=per_tensor_symmetric, reduce_range=False,
)  # fmt: skip
default_per_channel_weight_fake_quant = FakeQuantize.with_args(
    observer=MovingAveragePerChannelMinMaxObserver, quant_min=-128, quant_max=127, dtype=qint8,
    qscheme=per_channel_symmetric, reduce_range=False, ch_axis=0,
)  # fmt: skip
default_fixed_qparams_range_0to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=FixedQParamsObserver.with_args(scale=1 / 256, zero_point=0)
)
default_fixed_qparams_range_neg1to1_fake_quant = FixedQParamsFakeQuantize.with_args(
    observer=FixedQParamsObserver.with_args(scale=2 / 256, zero_point=128)
)


def _switch(name: str) -> Any:
    def switch(mod: Any) -> None:
        if isinstance(mod, FakeQuantizeBase):
            getattr(mod, name)()

    switch.__name__ = switch.__qualname__ = name
    switch.__doc__ = f"Call `{name}` of a module that quantizes; for `model.apply`."
    return switch


enable_fake_quant = _switch("enable_fake_quant")
disable_fake_quant = _switch("disable_fake_quant")
enable_observer = _switch("enable_observer")
disable_observer = _switch("disable_observer")

_add_stand_ins(globals())

explain_module(globals(), "fake_quantize_per_tensor_affine", "fake_quantize_per_channel_affine")
