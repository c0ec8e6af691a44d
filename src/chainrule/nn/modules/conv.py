"""Convolutions and transposed convolutions."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from ... import Tensor, contiguous_format, empty_like, no_grad
from ...autograd import refusal
from ...tensor import Parameter
from .. import functional as F
from .. import init
from ..parameter import UninitializedParameter
from .layer_common import PROBLEMS, add_layer, new_parameter
from .lazy import LazyModuleMixin
from .module import Module
from .utils import _ntuple, _reverse_repeat_tuple

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
    "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]  # fmt: skip

Sizes = int | tuple[int, ...]
PaddingMode = Literal["zeros", "reflect", "replicate", "circular"]

_PADDING_MODES = ("zeros", "reflect", "replicate", "circular")
_NO_PADDING = ((0,), (0, 0), (0, 0, 0))


def _refuse(phrase: str) -> ValueError:
    return refusal.value(f"{phrase}")


def _check_arguments(
    in_channels: int, out_channels: int, groups: int, stride: Any, padding: Any, padding_mode: str
) -> None:
    if groups <= 0:
        raise _refuse(f"groups must be a positive integer, got {groups}")
    if in_channels % groups:
        raise _refuse(f"in_channels must be divisible by groups: {in_channels} and {groups}")
    if out_channels % groups:
        raise _refuse(f"out_channels must be divisible by groups: {out_channels} and {groups}")
    if isinstance(padding, str):
        if padding not in ("same", "valid"):
            raise _refuse(
                f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}}"
            )
        if padding == "same" and any(s != 1 for s in stride):
            raise _refuse(
                f"padding='same' is not supported for strided convolutions (stride={stride})"
            )
    if padding_mode not in _PADDING_MODES:
        raise _refuse(
            f"padding_mode must be one of {set(_PADDING_MODES)}, but got "
            f"padding_mode='{padding_mode}'"
        )


def _pad_amounts(padding: Any, kernel: Any, dilation: Any) -> Any:
    """The padding as `pad` takes it: last dimension first, before and after."""
    if not isinstance(padding, str):
        return _reverse_repeat_tuple(padding, 2)
    amounts = []
    for d, k in zip(reversed(dilation), reversed(kernel), strict=True):
        total = d * (k - 1) if padding == "same" else 0
        amounts += [total // 2, total - total // 2]
    return amounts


class _ConvNd(Module):
    """What all convolutions share: their sizes, their parameters, how these are drawn."""

    __constants__: ClassVar[list[str]] = [
        "stride",
        "padding",
        "dilation",
        "groups",
        "padding_mode",
        "output_padding",
        "in_channels",
        "out_channels",
        "kernel_size",
    ]
    _dims = 0
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Any, stride: Any, padding: Any,
        dilation: Any, transposed: bool, output_padding: Any, groups: int, bias: bool,
        padding_mode: str, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        _check_arguments(in_channels, out_channels, groups, stride, padding, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        self._reversed_padding_repeated_twice = _pad_amounts(padding, kernel_size, dilation)
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = new_parameter(
            first, second // groups, *kernel_size, device=device, dtype=dtype
        )
        if bias:
            self.bias = new_parameter(out_channels, device=device, dtype=dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias again, uniform within 1 / sqrt(channels * window)."""
        if self.weight.is_contiguous():
            init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        else:  # the same values for every memory format
            drawn = empty_like(self.weight, memory_format=contiguous_format)
            init.kaiming_uniform_(drawn, a=math.sqrt(5))
            with no_grad():
                self.weight.copy_(drawn)
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            bound = 1 / math.sqrt(fan_in) if fan_in else 0
            init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        """The sizes, without those that are the usual ones."""
        said = [
            f"{self.in_channels}, {self.out_channels}",
            f"kernel_size={self.kernel_size}",
            f"stride={self.stride}",
        ]
        if self.padding not in _NO_PADDING:
            said.append(f"padding={self.padding}")
        if any(d != 1 for d in self.dilation):
            said.append(f"dilation={self.dilation}")
        if any(self.output_padding):
            said.append(f"output_padding={self.output_padding}")
        if self.groups != 1:
            said.append(f"groups={self.groups}")
        if self.bias is None:
            said.append("bias=False")
        if self.padding_mode != "zeros":
            said.append(f"padding_mode={self.padding_mode}")
        return ", ".join(said)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self.__dict__.setdefault("padding_mode", "zeros")  # saved before it existed


# ---- convolutions --------------------------------------------------------------------------------


class _Conv(_ConvNd):
    _function = ""  # looked up when it is called: programs replace functions

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes = 1,
        padding: str | Sizes = 0, dilation: Sizes = 1, groups: int = 1, bias: bool = True,
        padding_mode: PaddingMode = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        each = _ntuple(self._dims)
        super().__init__(
            in_channels, out_channels, each(kernel_size), each(stride),
            padding if isinstance(padding, str) else each(padding), each(dilation), False,
            each(0), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The convolution of the input with a weight and bias given."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode)
            padding = 0
        convolve = getattr(F, self._function)
        return convolve(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of the input with the weight, plus the bias."""
        held: dict[str, Any] = self._parameters
        try:
            return self._conv_forward(input, held["weight"], held["bias"])
        except KeyError:  # computed from others: a weight norm, a parametrization
            return self._conv_forward(input, self.weight, self.bias)
        except PROBLEMS as problem:
            add_layer(problem, self)


class Conv1d(_Conv):
    """The cross-correlation of sequences (N, C, L) with learned kernels.

    >>> import chainrule as torch
    >>> torch.nn.Conv1d(16, 33, 3, stride=2)(torch.randn(20, 16, 50)).shape
    torch.Size([20, 33, 24])
    """

    _dims = 1
    _function = "conv1d"


class Conv2d(_Conv):
    """The cross-correlation of images (N, C, H, W) with learned kernels.

    >>> import chainrule as torch
    >>> layer = torch.nn.Conv2d(3, 8, 3, padding="same", padding_mode="reflect")
    >>> layer(torch.randn(2, 3, 10, 12)).shape
    torch.Size([2, 8, 10, 12])
    """

    _dims = 2
    _function = "conv2d"


class Conv3d(_Conv):
    """The cross-correlation of volumes (N, C, D, H, W) with learned kernels."""

    _dims = 3
    _function = "conv3d"


# ---- transposed convolutions ---------------------------------------------------------------------


class _ConvTransposeNd(_ConvNd):
    _function = ""  # looked up when it is called: programs replace functions

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Sizes, stride: Sizes = 1,
        padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, bias: bool = True,
        dilation: Sizes = 1, padding_mode: PaddingMode = "zeros", device: Any = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        if padding_mode != "zeros":
            raise refusal.value(
                f'Only "zeros" padding mode is supported for {type(self).__name__}, got '
                f"{padding_mode!r}"
            )
        each = _ntuple(self._dims)
        super().__init__(
            in_channels, out_channels, each(kernel_size), each(stride), each(padding),
            each(dilation), True, each(output_padding), groups, bias, padding_mode, device, dtype,
        )  # fmt: skip

    def _output_padding(
        self, input: Tensor, output_size: Any, stride: Any, padding: Any, kernel_size: Any,
        num_spatial_dims: int, dilation: Any = None,
    ) -> Any:  # fmt: skip
        return self._extra_for(input, output_size)

    def _extra_for(self, input: Tensor, output_size: Any) -> Any:
        """The output padding with which the result has the size asked for."""
        if output_size is None:
            return self.output_padding
        dims, spatial = self._dims, input.shape[input.ndim - self._dims :]
        output_size = tuple(output_size)
        if len(output_size) == input.ndim:
            output_size = output_size[input.ndim - dims :]
        if len(output_size) != dims:
            raise refusal.value(
                f"ConvTranspose{dims}D: for {input.ndim}D input, output_size must have {dims} or "
                f"{input.ndim} elements (got {len(output_size)})"
            )
        smallest = [
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, s, p, d, k in zip(
                spatial, self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        ]
        largest = [low + s - 1 for low, s in zip(smallest, self.stride, strict=True)]
        extra = tuple(n - low for n, low in zip(output_size, smallest, strict=True))
        if any(e < 0 or e >= s for e, s in zip(extra, self.stride, strict=True)):
            raise refusal.value(
                f"requested an output size of {output_size}, but valid sizes range from {smallest} "
                f"to {largest} (for an input of {list(spatial)})"
            )
        return extra

    def forward(self, input: Tensor, output_size: list[int] | None = None) -> Tensor:
        """The transposed convolution of the input; `output_size` picks one of several sizes."""
        try:
            return getattr(F, self._function)(
                input, self.weight, self.bias, self.stride, self.padding,
                self._extra_for(input, output_size), self.groups, self.dilation,
            )  # fmt: skip
        except PROBLEMS as problem:
            add_layer(problem, self)


_ConvTransposeMixin = _ConvTransposeNd  # PyTorch's older name


class ConvTranspose1d(_ConvTransposeNd):
    """The transpose of Conv1d: a sequence whose convolution has the input's size."""

    _dims = 1
    _function = "conv_transpose1d"


class ConvTranspose2d(_ConvTransposeNd):
    """The transpose of Conv2d: an image whose convolution has the input's size.

    >>> import chainrule as torch
    >>> layer = torch.nn.ConvTranspose2d(16, 33, 3, stride=2)
    >>> layer(torch.randn(1, 16, 5, 5), output_size=(12, 12)).shape
    torch.Size([1, 33, 12, 12])
    """

    _dims = 2
    _function = "conv_transpose2d"


class ConvTranspose3d(_ConvTransposeNd):
    """The transpose of Conv3d: a volume whose convolution has the input's size."""

    _dims = 3
    _function = "conv_transpose3d"


# ---- lazy ----------------------------------------------------------------------------------------


class _LazyConvXdMixin(LazyModuleMixin):
    """Channels of the input taken from the first input."""

    _dims: int
    in_channels: int
    groups: int
    transposed: bool
    kernel_size: tuple[int, ...]
    weight: Any
    bias: Any

    def _wait(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw the parameters again, once their shapes are known."""
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Give the parameters the shapes that this input asks for, and values."""
        if not self.has_uninitialized_params():  # loaded before the first call
            shape = self.weight.shape
            self.in_channels = shape[0] if self.transposed else shape[1] * self.groups
            return
        dims = self._dims
        if input.ndim not in (dims + 1, dims + 2):
            raise refusal.runtime(
                f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to "
                f"{type(self).__name__}, but got input of size: {list(input.shape)}"
            )
        self.in_channels = input.shape[input.ndim - dims - 1]
        if self.in_channels % self.groups:
            raise refusal.value(
                f"in_channels must be divisible by groups: {self.in_channels} and {self.groups}"
            )
        pair = (self.out_channels, self.in_channels)
        first, second = reversed(pair) if self.transposed else pair
        self.weight.materialize((first, second // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()


class _LazyConv(_LazyConvXdMixin):
    def __init__(
        self, out_channels: int, kernel_size: Sizes, stride: Sizes = 1, padding: Sizes = 0,
        dilation: Sizes = 1, groups: int = 1, bias: bool = True,
        padding_mode: PaddingMode = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._wait(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self, out_channels: int, kernel_size: Sizes, stride: Sizes = 1, padding: Sizes = 0,
        output_padding: Sizes = 0, groups: int = 1, bias: bool = True, dilation: Sizes = 1,
        padding_mode: PaddingMode = "zeros", device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation,
            padding_mode,
        )  # fmt: skip
        self._wait(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A Conv1d that takes in_channels from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A Conv2d that takes in_channels from its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A Conv3d that takes in_channels from its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A ConvTranspose1d that takes in_channels from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A ConvTranspose2d that takes in_channels from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A ConvTranspose3d that takes in_channels from its first input."""

    cls_to_become = ConvTranspose3d
