"""Batch norm with the statistics of all processes: what `nn.SyncBatchNorm` computes."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from .group import current
from .nn.functional import all_reduce


def normalised(norm: Any, x: Any) -> Any:
    """The input normalised over the batches of all processes; gradients flow through all of them.

    The variance is that of the differences from the shared mean, in a second exchange: the
    difference of two sums of squares would lose digits.
    """
    group = current(norm.process_group)
    dims = [d for d in range(x.ndim) if d != 1]
    shape = [1, -1] + [1] * (x.ndim - 2)
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    own = torch.full((1,), x.numel() / x.shape[1], dtype=wide.dtype)
    sums = all_reduce(torch.cat([wide.sum(dims), own]), group=group)
    count = sums[-1].detach()
    # Where this rank alone has enough, nobody need look: a compiled step could not.
    if x.numel() <= x.shape[1] and count.item() <= 1:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size "
            f"{list(x.shape)} over all processes"
        )
    mean = sums[:-1] / count
    centred = wide - mean.reshape(shape)
    variance = all_reduce((centred * centred).sum(dims), group=group) / count
    if norm.training and norm.track_running_stats:
        _remember(norm, mean.detach(), variance.detach(), count)
    out = centred * (variance + norm.eps).rsqrt().reshape(shape)
    if norm.weight is not None:
        out = out * norm.weight.reshape(shape)
    if norm.bias is not None:
        out = out + norm.bias.reshape(shape)
    return out.to(x.dtype)


def _remember(norm: Any, mean: Any, variance: Any, count: Any) -> None:
    """Move the running statistics on, with the unbiased variance."""
    with torch.no_grad():
        norm.num_batches_tracked.add_(1)
        share = norm.momentum
        if share is None:
            share = 1.0 / float(norm.num_batches_tracked)
        norm.running_mean.mul_(1 - share).add_(mean, alpha=share)
        unbiased = variance * (count / (count - 1))
        norm.running_var.mul_(1 - share).add_(unbiased, alpha=share)
