"""The Laplace distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from . import constraints
from .distribution import Distribution, checked, regions

__all__ = ["Laplace"]


class Laplace(Distribution):
    """Exponential on both sides of `loc`."""

    arg_constraints = regions(loc=constraints.real, scale=constraints.positive)
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale)

    mean = property(lambda self: self.loc)
    mode = mean
    variance = property(lambda self: 2 * self.scale.pow(2))
    stddev = property(lambda self: 2**0.5 * self.scale)

    def rsample(self, sample_shape: Any = ()) -> Any:
        eps = torch.finfo(self.loc.dtype).eps
        u = self.loc.new_empty(self._extended_shape(sample_shape)).uniform_(eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    @checked
    def log_prob(self, value: Any) -> Any:
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    @checked
    def cdf(self, value: Any) -> Any:
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * torch.expm1(-away.abs() / self.scale)

    def icdf(self, value: Any) -> Any:
        away = value - 0.5
        return self.loc - self.scale * away.sign() * torch.log1p(-2 * away.abs())

    entropy = lambda self: 1 + torch.log(2 * self.scale)
