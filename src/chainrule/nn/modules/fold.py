"""Windows of images as columns, and back."""

from __future__ import annotations

from typing import ClassVar

from .function_layer import FunctionLayer

__all__ = ["Fold", "Unfold"]

Sizes = int | tuple[int, ...]


class Fold(FunctionLayer):
    """The sum of columns put back where `Unfold` took them from.

    >>> import chainrule as torch
    >>> torch.nn.Fold((4, 5), kernel_size=2)(torch.ones(1, 3 * 4, 12)).shape
    torch.Size([1, 3, 4, 5])
    """

    __constants__: ClassVar[list[str]] = [
        "output_size",
        "kernel_size",
        "dilation",
        "padding",
        "stride",
    ]
    _call = "F.fold(input, output_size, kernel_size, dilation, padding, stride)"
    _shows = "output_size, kernel_size, dilation, padding, stride"

    def __init__(
        self, output_size: Sizes, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0,
        stride: Sizes = 1,
    ) -> None:  # fmt: skip
        self._keep(locals())


class Unfold(FunctionLayer):
    """The windows of an image as columns.

    >>> import chainrule as torch
    >>> torch.nn.Unfold(kernel_size=(2, 3))(torch.zeros(2, 5, 3, 4)).shape
    torch.Size([2, 30, 4])
    """

    __constants__: ClassVar[list[str]] = ["kernel_size", "dilation", "padding", "stride"]
    _call = "F.unfold(input, kernel_size, dilation, padding, stride)"
    _shows = "kernel_size, dilation, padding, stride"

    def __init__(
        self, kernel_size: Sizes, dilation: Sizes = 1, padding: Sizes = 0, stride: Sizes = 1
    ) -> None:
        self._keep(locals())
