"""Windows of the input reduced to one value each."""

from __future__ import annotations

from typing import ClassVar

from ... import Tensor
from ...autograd import refusal
from .function_layer import FunctionLayer
from .utils import _ntuple, _single

__all__ = [
    "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d", "AdaptiveMaxPool3d", "AvgPool1d", "AvgPool2d", "AvgPool3d",
    "FractionalMaxPool2d", "FractionalMaxPool3d", "LPPool1d", "LPPool2d", "LPPool3d", "MaxPool1d",
    "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
]  # fmt: skip

Sizes = int | tuple[int, ...]
OutputSizes = int | None | tuple[int | None, ...]

# Each family is written once; its classes say their number of dimensions.


# ---- the largest value ---------------------------------------------------------------------------


class _MaxPoolNd(FunctionLayer):
    __constants__: ClassVar[list[str]] = [
        "kernel_size",
        "stride",
        "padding",
        "dilation",
        "return_indices",
        "ceil_mode",
    ]
    _call = (
        "F.max_pool{dims}d(input, kernel_size, stride, padding, dilation, ceil_mode, "
        "return_indices)"
    )
    _shows = "kernel_size, stride, padding, dilation, ceil_mode"

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        dilation: Sizes = 1, return_indices: bool = False, ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        stride = stride if stride is not None else kernel_size
        self._keep(locals())


class MaxPool1d(_MaxPoolNd):
    """The largest value of each window of (N, C, L)."""

    _dims = 1


class MaxPool2d(_MaxPoolNd):
    """The largest value of each window of (N, C, H, W).

    >>> import chainrule as torch
    >>> torch.nn.MaxPool2d(2)(torch.arange(16.).reshape(1, 4, 4))
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """

    _dims = 2


class MaxPool3d(_MaxPoolNd):
    """The largest value of each window of (N, C, D, H, W)."""

    _dims = 3


class _MaxUnpoolNd(FunctionLayer):
    _call = "F.max_unpool{dims}d(input, indices, kernel_size, stride, padding, output_size?)"
    _shows = "kernel_size, stride, padding"

    def __init__(self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0) -> None:
        each = _ntuple(self._dims)
        stride = each(stride if stride is not None else kernel_size)
        self._keep({"kernel_size": each(kernel_size), "stride": stride, "padding": each(padding)})


class MaxUnpool1d(_MaxUnpoolNd):
    """The inverse of MaxPool1d, zeros where a value was not the largest."""

    _dims = 1


class MaxUnpool2d(_MaxUnpoolNd):
    """The inverse of MaxPool2d, zeros where a value was not the largest.

    >>> import chainrule as torch
    >>> pool, unpool = torch.nn.MaxPool2d(2, return_indices=True), torch.nn.MaxUnpool2d(2)
    >>> unpool(*pool(torch.tensor([[[1., 2.], [4., 3.]]])))
    tensor([[[0., 0.],
             [4., 0.]]])
    """

    _dims = 2


class MaxUnpool3d(_MaxUnpoolNd):
    """The inverse of MaxPool3d, zeros where a value was not the largest."""

    _dims = 3


class _FractionalMaxPoolNd(FunctionLayer):
    _call = (
        "F.fractional_max_pool{dims}d(input, kernel_size, output_size, output_ratio, "
        "return_indices, _random_samples)"
    )
    _random_samples: Tensor | None

    def __init__(
        self, kernel_size: Sizes, output_size: Sizes | None = None,
        output_ratio: float | tuple[float, ...] | None = None, return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        each = _ntuple(self._dims)
        self.kernel_size = each(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = None if output_size is None else each(output_size)
        self.output_ratio = None if output_ratio is None else each(output_ratio)
        name = type(self).__name__
        if output_size is None and output_ratio is None:
            raise refusal.value(
                f"{name} requires specifying either an output size, or a pooling ratio"
            )
        if output_size is not None and output_ratio is not None:
            raise refusal.value(
                f"only one of output_size and output_ratio may be specified, {name} got both"
            )
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise refusal.value(f"output_ratio must be between 0 and 1 (got {output_ratio})")


class FractionalMaxPool2d(_FractionalMaxPoolNd):
    """The largest value of each of randomly placed windows of (N, C, H, W)."""

    __constants__: ClassVar[list[str]] = [
        "kernel_size",
        "return_indices",
        "output_size",
        "output_ratio",
    ]
    _dims = 2


class FractionalMaxPool3d(_FractionalMaxPoolNd):
    """The largest value of each of randomly placed windows of (N, C, D, H, W)."""

    __constants__: ClassVar[list[str]] = [
        "kernel_size",
        "return_indices",
        "output_size",
        "output_ratio",
    ]
    _dims = 3


# ---- the mean ------------------------------------------------------------------------------------


class _AvgPoolNd(FunctionLayer):
    __constants__: ClassVar[list[str]] = [
        "kernel_size",
        "stride",
        "padding",
        "ceil_mode",
        "count_include_pad",
    ]
    _shows = "kernel_size, stride, padding"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of (N, C, L)."""

    _call = "F.avg_pool1d(input, kernel_size, stride, padding, ceil_mode, count_include_pad)"

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        ceil_mode: bool = False, count_include_pad: bool = True,
    ) -> None:  # fmt: skip
        stride = _single(stride if stride is not None else kernel_size)
        kernel_size, padding = _single(kernel_size), _single(padding)
        self._keep(locals())


class _AvgPoolOfImages(_AvgPoolNd):
    _call = (
        "F.avg_pool{dims}d(input, kernel_size, stride, padding, ceil_mode, count_include_pad, "
        "divisor_override)"
    )

    def __init__(
        self, kernel_size: Sizes, stride: Sizes | None = None, padding: Sizes = 0,
        ceil_mode: bool = False, count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:  # fmt: skip
        stride = stride if stride is not None else kernel_size
        self._keep(locals())


class AvgPool2d(_AvgPoolOfImages):
    """The mean of each window of (N, C, H, W).

    >>> import chainrule as torch
    >>> torch.nn.AvgPool2d(2)(torch.arange(16.).reshape(1, 4, 4))
    tensor([[[ 2.5000,  4.5000],
             [10.5000, 12.5000]]])
    """

    __constants__: ClassVar[list[str]] = [
        "kernel_size",
        "stride",
        "padding",
        "ceil_mode",
        "count_include_pad",
        "divisor_override",
    ]
    _dims = 2


class AvgPool3d(_AvgPoolOfImages):
    """The mean of each window of (N, C, D, H, W)."""

    __constants__: ClassVar[list[str]] = [
        "kernel_size",
        "stride",
        "padding",
        "ceil_mode",
        "count_include_pad",
        "divisor_override",
    ]
    _dims = 3


class _LPPoolNd(FunctionLayer):
    __constants__: ClassVar[list[str]] = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    _call = "F.lp_pool{dims}d(input, float(norm_type), kernel_size, stride, ceil_mode)"
    _shows = "norm_type, kernel_size, stride, ceil_mode"

    def __init__(
        self, norm_type: float, kernel_size: Sizes, stride: Sizes | None = None,
        ceil_mode: bool = False,
    ) -> None:  # fmt: skip
        self._keep(locals())


class LPPool1d(_LPPoolNd):
    """The p-norm of each window of (N, C, L)."""

    _dims = 1


class LPPool2d(_LPPoolNd):
    """The p-norm of each window of (N, C, H, W)."""

    _dims = 2


class LPPool3d(_LPPoolNd):
    """The p-norm of each window of (N, C, D, H, W)."""

    _dims = 3


# ---- to a given size -----------------------------------------------------------------------------


class _AdaptiveAvgPoolNd(FunctionLayer):
    __constants__: ClassVar[list[str]] = ["output_size"]
    _call = "F.adaptive_avg_pool{dims}d(input, output_size)"
    _shows = "output_size"

    def __init__(self, output_size: OutputSizes) -> None:
        self._keep(locals())


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """(N, C, L) to (N, C, output_size) by means of windows."""

    _dims = 1


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """(N, C, H, W) to (N, C, *output_size) by means of windows; None keeps a size.

    >>> import chainrule as torch
    >>> torch.nn.AdaptiveAvgPool2d((None, 7))(torch.zeros(1, 64, 10, 9)).shape
    torch.Size([1, 64, 10, 7])
    """

    _dims = 2


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """(N, C, D, H, W) to (N, C, *output_size) by means of windows; None keeps a size."""

    _dims = 3


class _AdaptiveMaxPoolNd(FunctionLayer):
    __constants__: ClassVar[list[str]] = ["output_size", "return_indices"]
    _call = "F.adaptive_max_pool{dims}d(input, output_size, return_indices)"
    _shows = "output_size"

    def __init__(self, output_size: OutputSizes, return_indices: bool = False) -> None:
        self._keep(locals())


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """(N, C, L) to (N, C, output_size) by the largest values of windows."""

    _dims = 1


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """(N, C, H, W) to (N, C, *output_size) by the largest values of windows; None keeps a size."""

    _dims = 2


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """(N, C, D, H, W) to (N, C, *output_size) by the largest values of windows."""

    _dims = 3
