"""Channels as pixels, and back."""

from __future__ import annotations

from typing import ClassVar

from .function_layer import FunctionLayer

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(FunctionLayer):
    """(C * r * r, H, W) as (C, H * r, W * r).

    >>> import chainrule as torch
    >>> torch.nn.PixelShuffle(3)(torch.zeros(1, 9, 4, 4)).shape
    torch.Size([1, 1, 12, 12])
    """

    __constants__: ClassVar[list[str]] = ["upscale_factor"]
    _call = "F.pixel_shuffle(input, upscale_factor)"
    _shows = "upscale_factor"

    def __init__(self, upscale_factor: int) -> None:
        self._keep(locals())


class PixelUnshuffle(FunctionLayer):
    """(C, H * r, W * r) as (C * r * r, H, W)."""

    __constants__: ClassVar[list[str]] = ["downscale_factor"]
    _call = "F.pixel_unshuffle(input, downscale_factor)"
    _shows = "downscale_factor"

    def __init__(self, downscale_factor: int) -> None:
        self._keep(locals())
