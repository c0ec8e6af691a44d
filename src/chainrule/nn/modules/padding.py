"""Inputs made larger at their edges."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import Tensor
from ...autograd import refusal
from .. import functional as F
from .module import Module
from .utils import _ntuple

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
    "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]  # fmt: skip

Sizes = int | tuple[int, ...]


class _PadNd(Module):
    """`padding` before and after each of the last `_dims` dimensions, the last one first."""

    _dims = 0
    _mode = ""

    def __init__(self, padding: Sizes) -> None:
        super().__init__()
        self.padding = _ntuple(2 * self._dims)(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        """The padding."""
        return f"{self.padding}"


# ---- constants -----------------------------------------------------------------------------------


class _ConstantPadNd(_PadNd):
    __constants__: ClassVar[list[str]] = ["padding", "value"]

    def __init__(self, padding: Sizes, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        """The padding and its value."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """A sequence with a constant added before and after it.

    >>> import chainrule as torch
    >>> torch.nn.ConstantPad1d((1, 2), 3.5)(torch.zeros(1, 2))
    tensor([[3.5000, 0.0000, 0.0000, 3.5000, 3.5000]])
    """

    _dims = 1


class ConstantPad2d(_ConstantPadNd):
    """An image with a constant around it: (left, right, top, bottom)."""

    __constants__: ClassVar[list[str]] = ["padding", "value"]
    _dims = 2


class ConstantPad3d(_ConstantPadNd):
    """A volume with a constant around it: (left, right, top, bottom, front, back)."""

    _dims = 3


class _ZeroPadNd(_ConstantPadNd):
    def __init__(self, padding: Sizes) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The padding."""
        return f"{self.padding}"


class ZeroPad1d(_ZeroPadNd, ConstantPad1d):
    """A sequence with zeros before and after it."""


class ZeroPad2d(_ZeroPadNd, ConstantPad2d):
    """An image with zeros around it."""


class ZeroPad3d(_ZeroPadNd, ConstantPad3d):
    """A volume with zeros around it."""


# ---- from the input ------------------------------------------------------------------------------


class _ReflectionPadNd(_PadNd):
    __constants__: ClassVar[list[str]] = ["padding"]
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """A sequence continued by its mirror image, the edge itself not repeated.

    >>> import chainrule as torch
    >>> torch.nn.ReflectionPad1d(2)(torch.tensor([[1., 2., 3., 4.]]))
    tensor([[3., 2., 1., 2., 3., 4., 3., 2.]])
    """

    _dims = 1


class ReflectionPad2d(_ReflectionPadNd):
    """An image continued by its mirror image, the edges themselves not repeated."""

    _dims = 2


class ReflectionPad3d(_ReflectionPadNd):
    """A volume continued by its mirror image, the edges themselves not repeated."""

    _dims = 3


class _ReplicationPadNd(_PadNd):
    __constants__: ClassVar[list[str]] = ["padding"]
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """A sequence continued by its first and last value."""

    _dims = 1


class ReplicationPad2d(_ReplicationPadNd):
    """An image continued by its edges."""

    _dims = 2


class ReplicationPad3d(_ReplicationPadNd):
    """A volume continued by its edges."""

    _dims = 3


class _CircularPadNd(_PadNd):
    __constants__: ClassVar[list[str]] = ["padding"]
    _mode = "circular"

    def _check_input_dim(self, input: Any) -> None:
        dims = self._dims
        if input.ndim not in (dims + 1, dims + 2):
            raise refusal.value(
                f"expected {dims + 1}D or {dims + 2}D input (got {input.ndim}D input)",
                f"of shape {list(input.shape)}, in {self!r}",
            )

    def forward(self, input: Tensor) -> Tensor:
        """The padded input."""
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """A sequence continued as if it were a ring.

    >>> import chainrule as torch
    >>> torch.nn.CircularPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    _dims = 1


class CircularPad2d(_CircularPadNd):
    """An image continued as if its edges met."""

    _dims = 2


class CircularPad3d(_CircularPadNd):
    """A volume continued as if its sides met."""

    _dims = 3
