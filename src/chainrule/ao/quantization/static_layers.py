"""Layers of a converted model: quantized tensors in, quantized tensors out.

Sums of integers are exact in float64, so a result is PyTorch's, but for a rounding to the next step
where a value lies in the middle of two.
"""

from __future__ import annotations

from typing import Any

import chainrule as torch
from chainrule import nn

from ...autograd import refusal
from .dynamic_layers import _zero, quantized_weight
from .formats import quint8
from .tensors import QuantizedTensor, quantize_per_tensor


class Quantize(nn.Module):
    """Numbers become quantized."""

    def __init__(self, scale: Any, zero_point: Any, dtype: Any, factory_kwargs: Any = None) -> None:
        super().__init__()
        self.register_buffer("scale", torch.tensor([float(scale)]))
        self.register_buffer("zero_point", torch.tensor([int(zero_point)]))
        self.dtype = dtype

    def forward(self, X: Any) -> Any:
        """The quantized tensor."""
        return quantize_per_tensor(X, float(self.scale), int(self.zero_point), self.dtype)

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """What replaces a QuantStub that has seen data."""
        scale, zero = mod.activation_post_process.calculate_qparams()
        return Quantize(scale, zero, mod.activation_post_process.dtype)

    def extra_repr(self) -> str:
        return f"scale={self.scale}, zero_point={self.zero_point}, dtype={self.dtype}"


class DeQuantize(nn.Module):
    """Quantized tensors become numbers."""

    def forward(self, Xq: Any) -> Any:
        """The numbers."""
        return Xq.dequantize()

    @staticmethod
    def from_float(mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """What replaces a DeQuantStub."""
        return DeQuantize()


class _Weighted(nn.Module):
    """A layer with a quantized weight and a scale for its results."""

    relu = False
    name = ""

    def __init__(self, weight: Any, bias: Any, scale: float, zero_point: int) -> None:
        super().__init__()
        self._weight, self._bias = weight, bias
        self.scale, self.zero_point = scale, zero_point

    def weight(self) -> Any:
        """The quantized weight."""
        return self._weight

    def bias(self) -> Any:
        """The bias, in floating point."""
        return self._bias

    def set_weight_bias(self, w: Any, b: Any) -> None:
        """Other weights."""
        self._weight, self._bias = w, b

    def get_extra_state(self) -> Any:
        """Weights are no parameters: nothing trains them."""
        return [self._weight, self._bias, self.scale, self.zero_point]

    def set_extra_state(self, state: Any) -> None:
        """What `get_extra_state` gave."""
        self._weight, self._bias, self.scale, self.zero_point = state

    def _sums(self, x: Any, weight: Any) -> Any:
        raise NotImplementedError

    def forward(self, x: Any) -> Any:
        """The result, rounded to the layer's scale."""
        if not isinstance(x, QuantizedTensor):
            raise refusal.not_implemented(
                f"Could not run 'quantized::{self.name}' with arguments from the 'CPU' backend: a "
                f"tensor of {x.dtype!r} is given to a converted layer",
                fix="put a QuantStub before it (and a DeQuantStub after it) and convert again.",
            )
        weight = self._weight
        sums = self._sums(x._integers.double() - x._zero_point, weight._integers - _zero(weight))
        steps = torch.as_tensor(weight._scale, dtype=torch.float64) * x._scale
        if self._bias is not None:
            sums = sums + self._wide(self._bias.double() / steps)
        counted = torch.round((sums * self._wide(steps) / self.scale).float()) + self.zero_point
        least = self.zero_point if self.relu else 0
        integers = counted.clamp(least, 255).to(torch.uint8)
        return QuantizedTensor(integers, self.scale, self.zero_point, quint8)

    def _wide(self, row: Any) -> Any:
        """A value for each channel as it meets the sums."""
        return row

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer for one that has been observed, or trained with fake quantization."""
        scale, zero = mod.activation_post_process.calculate_qparams()
        fused = mod[0] if isinstance(mod, nn.Sequential) else mod
        if hasattr(fused, "weight_fake_quant"):
            weight = _as_trained(fused)
        else:
            fused.qconfig = mod.qconfig
            weight = quantized_weight(fused, fused.weight)
        bias = None if fused.bias is None else fused.bias.detach().clone()
        made = cls._of(fused, weight, bias, float(scale), int(zero))
        made.relu = isinstance(mod, nn.Sequential) or getattr(mod, "relu_follows", False)
        return made

    @classmethod
    def _of(cls, mod: Any, weight: Any, bias: Any, scale: float, zero: int) -> Any:
        return cls(weight, bias, scale, zero)

    def _get_name(self) -> str:
        return f"Quantized{self.name}{'ReLU' if self.relu else ''}"


def _as_trained(mod: Any) -> Any:
    """The weight, quantized as the fake quantization that it was trained with."""
    from .tensors import quantize_per_channel

    fake = mod.weight_fake_quant
    fake(mod.weight.detach())
    scale, zero = fake.calculate_qparams()
    form = fake.activation_post_process.dtype
    axis = getattr(fake.activation_post_process, "ch_axis", -1)
    if scale.numel() > 1 or axis >= 0:
        return quantize_per_channel(mod.weight, scale, zero, max(axis, 0), form)
    return quantize_per_tensor(mod.weight, float(scale), int(zero), form)


class Linear(_Weighted):
    """A linear layer of quantized tensors."""

    name = "Linear"

    def _sums(self, x: Any, weight: Any) -> Any:
        return nn.functional.linear(x, weight.double())

    def extra_repr(self) -> str:
        rows, columns = self._weight.shape
        return (
            f"in_features={columns}, out_features={rows}, scale={self.scale}, "
            f"zero_point={self.zero_point}, qscheme={self._weight.qscheme()}"
        )


class Conv2d(_Weighted):
    """A convolution of quantized tensors."""

    name = "Conv2d"

    @classmethod
    def _of(cls, mod: Any, weight: Any, bias: Any, scale: float, zero: int) -> Any:
        if mod.padding_mode != "zeros":
            raise NotImplementedError(f"padding_mode={mod.padding_mode!r} of a quantized layer")
        made = cls(weight, bias, scale, zero)
        made.options = (mod.stride, mod.padding, mod.dilation, mod.groups)
        return made

    def _sums(self, x: Any, weight: Any) -> Any:
        return nn.functional.conv2d(x, weight.double(), None, *self.options)

    def _wide(self, row: Any) -> Any:
        return row.reshape(-1, 1, 1) if row.ndim else row

    def extra_repr(self) -> str:
        out, inside = self._weight.shape[:2]
        return (
            f"{inside * self.options[3]}, {out}, kernel_size={tuple(self._weight.shape[2:])}, "
            f"stride={self.options[0]}, scale={self.scale}, zero_point={self.zero_point}"
        )


class FloatFunctional(nn.Module):
    """Sums and products as modules, so that they can be observed."""

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process: Any = nn.Identity()

    def forward(self, x: Any) -> Any:
        """Refused, as in PyTorch: call add, mul or cat."""
        raise RuntimeError(
            "FloatFunctional is not intended to use the 'forward'. Please use the underlying "
            "operation"
        )

    def add(self, x: Any, y: Any) -> Any:
        """x + y."""
        return self.activation_post_process(torch.add(x, y))

    def add_scalar(self, x: Any, y: float) -> Any:
        """x + a number."""
        return torch.add(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        """x * y."""
        return self.activation_post_process(torch.mul(x, y))

    def mul_scalar(self, x: Any, y: float) -> Any:
        """x * a number."""
        return torch.mul(x, y)

    def cat(self, x: Any, dim: int = 0) -> Any:
        """Tensors joined."""
        return self.activation_post_process(torch.cat(x, dim))

    def add_relu(self, x: Any, y: Any) -> Any:
        """The positive part of x + y."""
        return self.activation_post_process(torch.add(x, y).relu())

    def matmul(self, x: Any, y: Any) -> Any:
        """x @ y."""
        return self.activation_post_process(torch.matmul(x, y))


class QFunctional(nn.Module):
    """Sums and products of quantized tensors, rounded to a scale."""

    def __init__(self, scale: float = 1.0, zero_point: int = 0) -> None:
        super().__init__()
        self.scale, self.zero_point = scale, zero_point

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """What replaces a FloatFunctional that has seen data."""
        scale, zero = mod.activation_post_process.calculate_qparams()
        return cls(float(scale), int(zero))

    def forward(self, x: Any) -> Any:
        """Refused, as in PyTorch: call add, mul or cat."""
        raise RuntimeError(
            "Functional is not intended to use the 'forward'. Please use the underlying operation"
        )

    def _rounded(self, x: Any) -> Any:
        return quantize_per_tensor(x, self.scale, self.zero_point, quint8)

    def add(self, x: Any, y: Any) -> Any:
        """x + y."""
        return self._rounded(x.dequantize() + y.dequantize())

    def mul(self, x: Any, y: Any) -> Any:
        """x * y."""
        return self._rounded(x.dequantize() * y.dequantize())

    def cat(self, x: Any, dim: int = 0) -> Any:
        """Tensors joined."""
        return self._rounded(torch.cat([t.dequantize() for t in x], dim))

    def add_relu(self, x: Any, y: Any) -> Any:
        """The positive part of x + y."""
        return self._rounded((x.dequantize() + y.dequantize()).relu())

    def matmul(self, x: Any, y: Any) -> Any:
        """x @ y."""
        return self._rounded(x.dequantize() @ y.dequantize())

    def extra_repr(self) -> str:
        return f"scale={self.scale}, zero_point={self.zero_point}"


__all__ = ["Conv2d", "DeQuantize", "FloatFunctional", "Linear", "QFunctional", "Quantize"]
