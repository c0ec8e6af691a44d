"""The gradients of convolutions as functions of their own."""

from __future__ import annotations

from typing import Any

from .. import autograd, enable_grad, zeros
from . import functional as F

__all__ = [
    "conv1d_input", "conv1d_weight", "conv2d_input", "conv2d_weight", "conv3d_input",
    "conv3d_weight",
]  # fmt: skip


def _pulled(convolve: Any, shape: Any, grad_output: Any, other: Any) -> Any:
    """The gradient of a convolution by the operand of this shape, in which it is linear."""
    with enable_grad():
        operand = zeros(tuple(shape), dtype=grad_output.dtype, requires_grad=True)
        kept = grad_output.requires_grad or other.requires_grad
        return autograd.grad(convolve(operand), operand, grad_output, create_graph=kept)[0]


def _input_gradient(name: str) -> Any:
    convolution = getattr(F, name)

    def call(
        input_size: Any, weight: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Any:  # fmt: skip
        settings = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return _pulled(
            lambda x: convolution(x, weight, **settings), input_size, grad_output, weight
        )

    call.__name__ = call.__qualname__ = f"{name}_input"
    call.__doc__ = f"The gradient of {name} by its input, of the given size."
    return call


def _weight_gradient(name: str) -> Any:
    convolution = getattr(F, name)

    def call(
        input: Any, weight_size: Any, grad_output: Any, stride: Any = 1, padding: Any = 0,
        dilation: Any = 1, groups: int = 1,
    ) -> Any:  # fmt: skip
        settings = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
        return _pulled(lambda w: convolution(input, w, **settings), weight_size, grad_output, input)

    call.__name__ = call.__qualname__ = f"{name}_weight"
    call.__doc__ = f"The gradient of {name} by its weight, of the given size."
    return call


conv1d_input, conv1d_weight = _input_gradient("conv1d"), _weight_gradient("conv1d")
conv2d_input, conv2d_weight = _input_gradient("conv2d"), _weight_gradient("conv2d")
conv3d_input, conv3d_weight = _input_gradient("conv3d"), _weight_gradient("conv3d")
