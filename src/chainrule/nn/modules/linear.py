"""Dense layers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ... import Tensor
from ...autograd import refusal
from ...tensor import Parameter
from .. import functional as F
from .. import init
from ..parameter import UninitializedParameter
from .layer_common import PROBLEMS, add_layer, new_parameter
from .lazy import LazyModuleMixin
from .module import Module

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Return the input; any constructor arguments are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """The input."""
        return input


class Linear(Module):
    """input @ weight.T + bias.

    >>> import chainrule as torch
    >>> layer = torch.nn.Linear(20, 30)
    >>> layer(torch.randn(128, 20)).shape
    torch.Size([128, 30])
    """

    __constants__: ClassVar[list[str]] = ["in_features", "out_features"]

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = new_parameter(out_features, in_features, device=device, dtype=dtype)
        if bias:
            self.bias = new_parameter(out_features, device=device, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias again, uniform within 1 / sqrt(in_features)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """input @ weight.T + bias."""
        held: dict[str, Any] = self._parameters
        try:
            return F.linear(input, held["weight"], held["bias"])
        except KeyError:  # computed from others: a weight norm, a parametrization
            return F.linear(input, self.weight, self.bias)
        except PROBLEMS as problem:
            add_layer(problem, self)

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under the name that the output projection of attention has in saved models."""


class Bilinear(Module):
    """x1 . weight[k] . x2 + bias[k] for every output k.

    >>> import chainrule as torch
    >>> layer = torch.nn.Bilinear(20, 30, 40)
    >>> layer(torch.randn(8, 20), torch.randn(8, 30)).shape
    torch.Size([8, 40])
    """

    __constants__: ClassVar[list[str]] = ["in1_features", "in2_features", "out_features"]

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if in1_features <= 0:
            raise refusal.value(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = new_parameter(
            out_features, in1_features, in2_features, device=device, dtype=dtype
        )
        if bias:
            self.bias = new_parameter(out_features, device=device, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias again, uniform within 1 / sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """x1 . weight[k] . x2 + bias[k] for every output k."""
        try:
            return F.bilinear(input1, input2, self.weight, self.bias)
        except PROBLEMS as problem:
            add_layer(problem, self)

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear that takes in_features from its first input.

    >>> import chainrule as torch
    >>> layer = torch.nn.LazyLinear(3)
    >>> _ = layer(torch.randn(2, 5))
    >>> layer
    Linear(in_features=5, out_features=3, bias=True)
    """

    cls_to_become = Linear
    weight: Any
    bias: Any

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters again, once their shapes are known."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Give the parameters the shapes that this input asks for, and values."""
        waiting = self.has_uninitialized_params()
        self.in_features = input.shape[-1] if waiting else self.weight.shape[1]
        if not waiting:
            return
        self.weight.materialize((self.out_features, self.in_features))
        if self.bias is not None:
            self.bias.materialize((self.out_features,))
        self.reset_parameters()
