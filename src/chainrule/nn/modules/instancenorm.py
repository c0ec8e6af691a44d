"""Norms of each channel of each example."""

from __future__ import annotations

from typing import Any

from ... import Tensor
from ...autograd import refusal
from .. import functional as F
from .batchnorm import _LazyNormBase, _NormBase
from .layer_common import PROBLEMS, add_layer, warn_user

__all__ = [
    "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyInstanceNorm1d",
    "LazyInstanceNorm2d", "LazyInstanceNorm3d",
]  # fmt: skip


class _InstanceNorm(_NormBase):
    """The first rank in `_ranks` is that of an example alone, the second that of a batch."""

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float = 0.1, affine: bool = False,
        track_running_stats: bool = False, device: Any = None, dtype: Any = None, *,
        bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def _channel_dim(self, input: Tensor) -> int:
        return 0 if input.ndim == self._ranks[0] else 1

    def _check_channels(self, input: Tensor) -> None:
        dim = self._channel_dim(input)
        if input.shape[dim] == self.num_features:
            return
        if self.affine:
            raise refusal.value(
                f"expected input's size at dim={dim} to match num_features ({self.num_features}), "
                f"but got: {input.shape[dim]}.",
                f"input {list(input.shape)}, in {self!r}",
            )
        warn_user(
            f"input's size at dim={dim} ({input.shape[dim]}) does not match num_features "
            f"({self.num_features}), which is not used because affine=False.",
        )

    def forward(self, input: Tensor) -> Tensor:
        """Each channel of each example to mean 0 and variance 1, times weight plus bias."""
        self._check_input_dim(input)
        self._check_channels(input)
        single = input.ndim == self._ranks[0]
        try:
            out = F.instance_norm(
                input.unsqueeze(0) if single else input, self.running_mean, self.running_var,
                self.weight, self.bias, self.training or not self.track_running_stats,
                0.0 if self.momentum is None else self.momentum, self.eps,
            )  # fmt: skip
        except PROBLEMS as problem:
            add_layer(problem, self)
        return out.squeeze(0) if single else out


class InstanceNorm1d(_InstanceNorm):
    """Each channel of each example of (N, C, L) or (C, L) to mean 0 and variance 1."""

    _ranks = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Each channel of each example of (N, C, H, W) or (C, H, W) to mean 0 and variance 1.

    >>> import chainrule as torch
    >>> out = torch.nn.InstanceNorm2d(3)(torch.randn(2, 3, 8, 8))
    >>> bool(out.mean((2, 3)).abs().max() < 1e-6)
    True
    """

    _ranks = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Each channel of each example of (N, C, D, H, W) or (C, D, H, W) to mean 0 and variance 1."""

    _ranks = (4, 5)


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm1d that takes num_features from its first input."""

    cls_to_become = InstanceNorm1d
    _ranks = InstanceNorm1d._ranks


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm2d that takes num_features from its first input."""

    cls_to_become = InstanceNorm2d
    _ranks = InstanceNorm2d._ranks


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm3d that takes num_features from its first input."""

    cls_to_become = InstanceNorm3d
    _ranks = InstanceNorm3d._ranks
