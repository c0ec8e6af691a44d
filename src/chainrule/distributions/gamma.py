"""The gamma distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch
from chainrule.autograd.dispatch import P

from . import constraints
from .distribution import checked, regions
from .exp_family import ExponentialFamily

__all__ = ["Gamma"]


def standard_gamma(concentration: Any) -> Any:
    """Gamma draws of rate one; a draw moves with its concentration along its own quantile."""
    return P.gamma_draw(concentration, generator=None)


class Gamma(ExponentialFamily):
    """Gamma with shape `concentration` and `rate`."""

    arg_constraints = regions(concentration=constraints.positive, rate=constraints.positive)
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, concentration=concentration, rate=rate)

    mean = property(lambda self: self.concentration / self.rate)
    mode = property(lambda self: ((self.concentration - 1) / self.rate).clamp(min=0))
    variance = property(lambda self: self.concentration / self.rate.pow(2))

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        value = standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)
        return value.clamp(min=torch.finfo(value.dtype).tiny)  # a draw is never 0

    @checked
    def log_prob(self, value: Any) -> Any:
        value = torch.as_tensor(value, dtype=self.rate.dtype)
        return (
            torch.xlogy(self.concentration, self.rate)
            + torch.xlogy(self.concentration - 1, value)
            - self.rate * value
            - torch.lgamma(self.concentration)
        )

    def entropy(self) -> Any:
        a = self.concentration
        return a - self.rate.log() + torch.lgamma(a) + (1.0 - a) * torch.digamma(a)

    cdf = checked(lambda self, value: torch.special.gammainc(self.concentration, self.rate * value))
    _natural_params = property(lambda self: (self.concentration - 1, -self.rate))
    _log_normalizer = lambda self, x, y: torch.lgamma(x + 1) + (x + 1) * torch.log(-y.reciprocal())
