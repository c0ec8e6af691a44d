"""Norms of each example: over its last dimensions, over groups of channels, over neighbours."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import Size, Tensor, arange, empty
from ...autograd import refusal
from ...tensor import Parameter
from .. import functional as F
from .. import init
from .function_layer import FunctionLayer
from .layer_common import PROBLEMS, add_layer
from .module import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]

Shape = int | list[int] | tuple[int, ...] | Size


def _shape_of(normalized_shape: Shape) -> tuple[int, ...]:
    is_number = isinstance(normalized_shape, int) or hasattr(normalized_shape, "__index__")
    return (int(normalized_shape),) if is_number else tuple(normalized_shape)  # type: ignore[arg-type]


class LayerNorm(Module):
    """The last dimensions of each example to mean 0 and variance 1, times weight plus bias.

    >>> import chainrule as torch
    >>> norm = torch.nn.LayerNorm(3)
    >>> norm(torch.tensor([[1., 2., 3.]])).detach()
    tensor([[-1.2247,  0.0000,  1.2247]])
    """

    __constants__: ClassVar[list[str]] = ["normalized_shape", "eps", "elementwise_affine"]

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self, normalized_shape: Shape, eps: float = 1e-5, elementwise_affine: bool = True,
        bias: bool = True, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = _shape_of(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, wanted in (
            ("weight", elementwise_affine),
            ("bias", elementwise_affine and bias),
        ):
            values = empty(self.normalized_shape, device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, Parameter(values) if values is not None else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        held = self._parameters
        try:
            return F.layer_norm(
                input, self.normalized_shape, held["weight"], held["bias"], self.eps
            )
        except KeyError:  # computed from others, by a parametrization
            return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)
        except PROBLEMS as problem:
            add_layer(problem, self)

    def extra_repr(self) -> str:
        """The shape and the options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class RMSNorm(Module):
    """The last dimensions of each example over their root mean square, times weight.

    >>> import chainrule as torch
    >>> torch.nn.RMSNorm(2)(torch.tensor([[3., 4.]])).detach()
    tensor([[0.8485, 1.1314]])
    """

    __constants__: ClassVar[list[str]] = ["normalized_shape", "eps", "elementwise_affine"]

    weight: Parameter | None

    def __init__(
        self, normalized_shape: Shape, eps: float | None = None, elementwise_affine: bool = True,
        device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = _shape_of(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if elementwise_affine:
            self.weight = Parameter(empty(self.normalized_shape, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        """The normalised input."""
        try:
            return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)
        except PROBLEMS as problem:
            add_layer(problem, self)

    def extra_repr(self) -> str:
        """The shape and the options."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(Module):
    """Each group of channels of each example to mean 0 and variance 1, times weight plus bias.

    >>> import chainrule as torch
    >>> torch.nn.GroupNorm(3, 6)(torch.randn(20, 6, 10, 10)).shape
    torch.Size([20, 6, 10, 10])
    """

    __constants__: ClassVar[list[str]] = ["num_groups", "num_channels", "eps", "affine"]

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self, num_groups: int, num_channels: int, eps: float = 1e-5, affine: bool = True,
        device: Any = None, dtype: Any = None, *, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        if num_channels % num_groups:
            raise refusal.value(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, wanted in (("weight", affine), ("bias", affine and bias)):
            values = empty(num_channels, device=device, dtype=dtype) if wanted else None
            self.register_parameter(name, Parameter(values) if values is not None else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        try:
            return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)
        except PROBLEMS as problem:
            add_layer(problem, self)

    def extra_repr(self) -> str:
        """The groups and the options."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


class LocalResponseNorm(FunctionLayer):
    """Each channel divided by a power of the mean square of its neighbours."""

    __constants__: ClassVar[list[str]] = ["size", "alpha", "beta", "k"]
    _call = "F.local_response_norm(input, size, alpha, beta, k)"
    _shows = "*size, alpha, beta, k"

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        self._keep(locals())


class CrossMapLRN2d(FunctionLayer):
    """Local response norm of images; the mean square is over (size - 1) // 2 channels either side.

    As in PyTorch the first channel also counts in every window that lies beyond it, which
    `LocalResponseNorm` does not do.
    """

    _shows = "*size, alpha, beta, k"

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        self._keep(locals())

    def forward(self, input: Tensor) -> Tensor:
        """The normalised input."""
        if input.ndim != 4:
            raise refusal.value(
                f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead."
            )
        channel = arange(input.shape[1])
        neighbours = (channel[:, None] - channel).abs() <= (self.size - 1) // 2
        neighbours[:, 0] = True
        squares = (input * input).flatten(2)
        sums = (neighbours.to(input.dtype) @ squares).reshape(input.shape)
        return input / (sums * (self.alpha / self.size) + self.k) ** self.beta
