"""A softmax over very many classes that spends most on the frequent ones."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from ... import Tensor, argmax, cat, where, zeros
from ...autograd import refusal
from .. import functional as F
from .container import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    output: Tensor
    loss: Tensor


def _check_cutoffs(cutoffs: list[Any], n_classes: int) -> None:
    if not cutoffs:
        raise refusal.value("cutoffs should be a sequence of length larger than 0")
    rising = all(a < b for a, b in pairwise(cutoffs))
    whole = all(int(c) == c for c in cutoffs)
    if not rising or not whole or min(cutoffs) <= 0 or max(cutoffs) > n_classes - 1:
        raise refusal.value(
            "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
            f"order, where each value is between 1 and n_classes-1: got {cutoffs} with "
            f"n_classes={n_classes}"
        )


class AdaptiveLogSoftmaxWithLoss(Module):
    """The log likelihood of class numbers sorted by frequency, the rare ones in clusters.

    The head scores the frequent classes (below the first cutoff) and one entry per cluster; each
    cluster has a projection of its own, `div_value` times smaller than the one before.

    >>> import chainrule as torch
    >>> softmax = torch.nn.AdaptiveLogSoftmaxWithLoss(16, 100, cutoffs=[10, 40])
    >>> softmax(torch.randn(4, 16), torch.tensor([3, 0, 99, 20])).output.shape
    torch.Size([4])
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0,
        head_bias: bool = False, device: Any = None, dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__()
        kind = {"device": device, "dtype": dtype}
        cutoffs = list(cutoffs)
        _check_cutoffs(cutoffs, n_classes)
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, **kind)
        self.tail = ModuleList()
        for i in range(self.n_clusters):
            width = int(in_features // div_value ** (i + 1))
            size = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, **kind),
                    Linear(width, size, bias=False, **kind),
                )
            )

    def reset_parameters(self) -> None:
        """Draw all weights again."""
        self.head.reset_parameters()
        for cluster in self.tail:
            for projection in cluster.children():
                projection.reset_parameters()

    def _clusters(self) -> list[tuple[int, int]]:
        """(first class, class after the last) of each cluster."""
        return list(pairwise(self.cutoffs))

    def _check(self, input: Tensor, target: Tensor) -> None:
        if target.ndim > 1 or (target.ndim == 0 and input.ndim != 1):
            raise refusal.runtime(
                "0D or 1D target tensor expected, multi-target not supported: input "
                f"{list(input.shape)}, target {list(target.shape)}"
            )
        if target.ndim and input.shape[0] != target.shape[0]:
            raise refusal.runtime(
                "Input and target should have the same size in the batch dimension: input "
                f"{list(input.shape)}, target {list(target.shape)}"
            )
        if target.numel():
            low, high = target.min().item(), target.max().item()
            if low < 0 or high >= self.n_classes:
                raise refusal.runtime(
                    f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                    f"[{low}, {high}] were found. "
                )

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        """(log likelihood of each target, its negative mean)."""
        self._check(input_, target_)
        batched = target_.ndim > 0
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        head = F.log_softmax(self.head(input), 1)
        # The entry of the head that stands for each target: its own, or that of its cluster.
        entry = target
        inside = zeros(target.shape, dtype=head.dtype)
        for i, (first, end) in enumerate(self._clusters()):
            members = (target >= first) & (target < end)
            rows = members.nonzero().squeeze(1)
            entry = where(members, self.shortlist_size + i, entry)
            if rows.numel():
                scores = F.log_softmax(self.tail[i](input.index_select(0, rows)), 1)
                picked = scores.gather(1, (target.index_select(0, rows) - first).unsqueeze(1))
                inside = inside.index_copy(0, rows, picked.squeeze(1))
        output = head.gather(1, entry.unsqueeze(1)).squeeze(1) + inside
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input: Tensor, head_output: Tensor) -> Tensor:
        """Log probabilities of all classes, given the head's scores."""
        head = F.log_softmax(head_output, 1)
        parts = [head[:, : self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            in_cluster = head[:, self.shortlist_size + i].unsqueeze(1)
            parts.append(F.log_softmax(cluster(input), 1) + in_cluster)
        return cat(parts, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """Log probabilities of all classes."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each example; clusters are looked into only where needed."""
        head_output = self.head(input)
        best = argmax(head_output, 1)
        rare = (best >= self.shortlist_size).nonzero().squeeze(1)
        if rare.numel():
            log_prob = self._get_full_log_prob(
                input.index_select(0, rare), head_output.index_select(0, rare)
            )
            best = best.index_copy(0, rare, argmax(log_prob, 1))
        return best
