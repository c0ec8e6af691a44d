"""The normal distribution."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from . import constraints
from .distribution import checked, regions
from .exp_family import ExponentialFamily
from .utils import standard_normal

__all__ = ["Normal"]


class Normal(ExponentialFamily):
    """The normal distribution with mean `loc` and standard deviation `scale`.

    >>> import chainrule as torch
    >>> from chainrule.distributions import Normal
    >>> _ = torch.manual_seed(0)
    >>> Normal(torch.tensor([0.0]), torch.tensor([1.0])).sample()
    tensor([1.5410])
    """

    arg_constraints = regions(loc=constraints.real, scale=constraints.positive)
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self._set(validate_args, loc=loc, scale=scale)

    mean = property(lambda self: self.loc)
    mode = mean
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale.pow(2))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + noise * self.scale

    @checked
    def log_prob(self, value: Any) -> Any:
        squares = (value - self.loc) ** 2 / (2 * self.scale**2)
        return -squares - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    @checked
    def cdf(self, value: Any) -> Any:
        z = (value - self.loc) * self.scale.reciprocal() / math.sqrt(2)
        return 0.5 * (1 + torch.erf(z))

    icdf = lambda self, value: self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)
    entropy = lambda self: 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        variance = self.scale.pow(2)
        return self.loc / variance, -0.5 * variance.reciprocal()

    _log_normalizer = lambda self, x, y: -0.25 * x.pow(2) / y + 0.5 * torch.log(-math.pi / y)
