"""The Cauchy distribution."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from . import constraints
from .distribution import Distribution, checked, regions

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """The ratio of two normal variables, moved and stretched: it has no mean."""

    arg_constraints = regions(loc=constraints.real, scale=constraints.positive)
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale)

    @property
    def mean(self) -> Any:
        return torch.full(self._extended_shape(), torch.nan, dtype=self.loc.dtype)

    mode = property(lambda self: self.loc)

    @property
    def variance(self) -> Any:
        return torch.full(self._extended_shape(), torch.inf, dtype=self.loc.dtype)

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + noise * self.scale

    @checked
    def log_prob(self, value: Any) -> Any:
        z = (value - self.loc) / self.scale
        return -math.log(math.pi) - self.scale.log() - (z**2).log1p()

    cdf = checked(lambda self, value: torch.atan((value - self.loc) / self.scale) / math.pi + 0.5)
    icdf = lambda self, value: torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc
    entropy = lambda self: math.log(4 * math.pi) + self.scale.log()
