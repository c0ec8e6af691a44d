"""The exponential distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from . import constraints
from .distribution import checked, regions
from .exp_family import ExponentialFamily

__all__ = ["Exponential"]


class Exponential(ExponentialFamily):
    """Waiting times with `rate` events per unit."""

    arg_constraints = regions(rate=constraints.positive)
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, rate=rate)

    mean = property(lambda self: self.rate.reciprocal())
    stddev = mean
    mode = property(lambda self: torch.zeros_like(self.rate))
    variance = property(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    log_prob = checked(lambda self, value: self.rate.log() - self.rate * value)
    cdf = checked(lambda self, value: 1 - torch.exp(-self.rate * value))
    icdf = lambda self, value: -torch.log1p(-value) / self.rate
    entropy = lambda self: 1.0 - self.rate.log()
    _natural_params = property(lambda self: (-self.rate,))
    _log_normalizer = lambda self, x: -torch.log(-x)
