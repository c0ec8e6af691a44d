"""The generalised Pareto distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from . import constraints
from .distribution import Distribution, checked, regions

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """What exceeds a threshold: exponential for concentration 0, heavier or bounded otherwise."""

    arg_constraints = regions(
        loc=constraints.real, scale=constraints.positive, concentration=constraints.real
    )
    has_rsample = True

    def __init__(
        self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None
    ) -> None:
        self._set(validate_args, loc=loc, scale=scale, concentration=concentration)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:  # type: ignore[override]
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch.where(self.concentration < 0, end, torch.inf))

    def _parts(self) -> tuple[Any, Any]:
        """Where the concentration is zero, and the concentration with ones there."""
        zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return zero, self.concentration.masked_fill(zero, 1.0)

    _z = lambda self, value: (value - self.loc) / self.scale

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype))

    @checked
    def log_prob(self, value: Any) -> Any:
        z = self._z(value)
        zero, shape = self._parts()
        power = 1 / shape + torch.ones_like(z)
        heavy = torch.where(power == 0, power, power * torch.log1p(shape * z))
        return -self.scale.log() - torch.where(zero, z, heavy)

    @checked
    def log_survival_function(self, value: Any) -> Any:
        """log of the probability of a sample above the value."""
        z = self._z(value)
        zero, shape = self._parts()
        return torch.where(zero, -z, -torch.log1p(shape * z) / shape)

    def log_cdf(self, value: Any) -> Any:
        """log of the probability of a sample below the value."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    cdf = lambda self, value: torch.exp(self.log_cdf(value))

    def icdf(self, value: Any) -> Any:
        zero, shape = self._parts()
        log_left = torch.log1p(-value)
        heavy = self.loc + self.scale / shape * torch.expm1(-shape * log_left)
        return torch.where(zero, self.loc - self.scale * log_left, heavy)

    @property
    def mean(self) -> Any:
        finite = self.concentration < 1
        safe = torch.where(finite, self.concentration, 0.5)
        return torch.where(finite, self.loc + self.scale / (1 - safe), torch.nan)

    @property
    def variance(self) -> Any:
        finite = self.concentration < 0.5
        safe = torch.where(finite, self.concentration, 0.25)
        found = self.scale**2 / ((1 - safe) ** 2 * (1 - 2 * safe))
        return torch.where(finite, found, torch.nan)

    mode = property(lambda self: self.loc)
    entropy = lambda self: self.scale.log() + self.concentration + 1
