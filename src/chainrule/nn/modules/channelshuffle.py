"""Channels of several groups mixed."""

from __future__ import annotations

from ... import Tensor
from ..functional import channel_shuffle
from .module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """The channels reordered: the first of every group, then the second of every group, and so on.

    >>> import chainrule as torch
    >>> channels = torch.arange(4.).reshape(1, 4, 1, 1)
    >>> torch.nn.ChannelShuffle(2)(channels).flatten()
    tensor([0., 2., 1., 3.])
    """

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """The input with its channels reordered."""
        return channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        """The number of groups."""
        return f"groups={self.groups}"
