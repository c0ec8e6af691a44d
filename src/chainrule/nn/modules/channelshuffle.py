"""Channels of several groups mixed."""

from __future__ import annotations

from typing import ClassVar

from .function_layer import FunctionLayer

__all__ = ["ChannelShuffle"]


class ChannelShuffle(FunctionLayer):
    """The channels reordered: the first of every group, then the second of every group, and so on.

    >>> import chainrule as torch
    >>> channels = torch.arange(4.).reshape(1, 4, 1, 1)
    >>> torch.nn.ChannelShuffle(2)(channels).flatten()
    tensor([0., 2., 1., 3.])
    """

    __constants__: ClassVar[list[str]] = ["groups"]
    _call = "F.channel_shuffle(input, groups)"
    _shows = "groups"

    def __init__(self, groups: int) -> None:
        self._keep(locals())
