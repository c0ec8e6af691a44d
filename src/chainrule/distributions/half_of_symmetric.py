"""The upper half of a distribution symmetric about zero."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from . import constraints
from .distribution import checked, regions
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform


class HalfOfSymmetric(TransformedDistribution):
    """|x| for x of a distribution symmetric about zero."""

    arg_constraints = regions(scale=constraints.positive)
    support = constraints.nonnegative
    has_rsample = True
    whole: Any  # the class of the symmetric distribution

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        base = self.whole(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Any:
        """The scale of the whole distribution."""
        return self.base_dist.scale

    mode = property(lambda self: torch.zeros_like(self.scale))

    @checked
    def log_prob(self, value: Any) -> Any:
        doubled = self.base_dist.log_prob(value) + math.log(2)
        return torch.where(value >= 0, doubled, -torch.inf)

    cdf = checked(lambda self, value: 2 * self.base_dist.cdf(value) - 1)
    icdf = lambda self, prob: self.base_dist.icdf((prob + 1) / 2)
    entropy = lambda self: self.base_dist.entropy() - math.log(2)
