"""Windows of images as columns, and back."""

from __future__ import annotations

from ... import Tensor
from ..functional import fold, unfold
from .module import Module

__all__ = ["Fold", "Unfold"]

Sizes = int | tuple[int, ...]


class Fold(Module):
    """The sum of columns put back where `Unfold` took them from.

    >>> import chainrule as torch
    >>> torch.nn.Fold((4, 5), kernel_size=2)(torch.ones(1, 3 * 4, 12)).shape
    torch.Size([1, 3, 4, 5])
    """

    def __init__(
        self, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:  # fmt: skip
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The image of these columns."""
        return fold(
            input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride
        )

    def extra_repr(self) -> str:
        """The geometry."""
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """The windows of an image as columns.

    >>> import chainrule as torch
    >>> torch.nn.Unfold(kernel_size=(2, 3))(torch.zeros(2, 5, 3, 4)).shape
    torch.Size([2, 30, 4])
    """

    def __init__(
        self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: Tensor) -> Tensor:
        """The columns of this image."""
        return unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self) -> str:
        """The geometry."""
        return (
            f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, "
            f"stride={self.stride}"
        )
