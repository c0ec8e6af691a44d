"""Dropout: parts of the input set to zero at random, in training only."""

from __future__ import annotations

from typing import ClassVar

from ... import Tensor
from ...autograd import refusal
from .. import functional as F
from .function_layer import FunctionLayer
from .layer_common import is_seen

__all__ = [
    "AlphaDropout", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "FeatureAlphaDropout",
]  # fmt: skip

_DROPOUT = F.dropout


class _DropoutNd(FunctionLayer):
    __constants__: ClassVar[list[str]] = ["p", "inplace"]
    _shows = "p, inplace"

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if p < 0 or p > 1:
            raise refusal.value(f"dropout probability has to be between 0 and 1, but got {p}")
        self._keep(locals())


class Dropout(_DropoutNd):
    """Each element set to zero with probability p in training, the others scaled by 1 / (1 - p).

    >>> import chainrule as torch
    >>> layer = torch.nn.Dropout(0.2)
    >>> torch.equal(layer.eval()(torch.ones(3)), torch.ones(3))
    True
    """

    def forward(self, input: Tensor) -> Tensor:
        """The input with elements dropped."""
        if self.training or is_seen(F.dropout, _DROPOUT, input):
            return F.dropout(input, self.p, self.training, self.inplace)
        return input


class Dropout1d(_DropoutNd):
    """Each channel of (N, C, L) or (C, L) set to zero with probability p in training."""

    _call = "F.dropout1d(input, p, training, inplace)"


class Dropout2d(_DropoutNd):
    """Each channel of (N, C, H, W) set to zero with probability p in training."""

    _call = "F.dropout2d(input, p, training, inplace)"


class Dropout3d(_DropoutNd):
    """Each channel of (N, C, D, H, W) or (C, D, H, W) zeroed with probability p in training."""

    _call = "F.dropout3d(input, p, training, inplace)"


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of SELU activations."""

    _call = "F.alpha_dropout(input, p, training, inplace)"


class FeatureAlphaDropout(_DropoutNd):
    """Alpha dropout of whole channels."""

    _call = "F.feature_alpha_dropout(input, p, training, inplace)"
