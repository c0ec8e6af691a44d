"""The beta distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from . import constraints
from .dirichlet import Dirichlet
from .distribution import Distribution, checked, regions
from .exp_family import ExponentialFamily
from .utils import broadcast_all

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """A share between 0 and 1, from two concentrations."""

    arg_constraints = regions(
        concentration1=constraints.positive, concentration0=constraints.positive
    )
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self, concentration1: Any, concentration0: Any, validate_args: bool | None = None
    ) -> None:
        pair = torch.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(pair, validate_args=validate_args)
        Distribution.__init__(self, self._dirichlet.batch_shape, validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        new._dirichlet = self._dirichlet.expand(batch_shape)

    @property
    def concentration1(self) -> Any:
        """How much speaks for 1."""
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self) -> Any:
        """How much speaks for 0."""
        return self._dirichlet.concentration[..., 1]

    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = property(lambda self: self._dirichlet.mode[..., 0])

    @property
    def variance(self) -> Any:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    rsample = lambda self, sample_shape=(): self._dirichlet.rsample(sample_shape).select(-1, 0)

    @checked
    def log_prob(self, value: Any) -> Any:
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    entropy = lambda self: self._dirichlet.entropy()
    _natural_params = property(lambda self: (self.concentration1, self.concentration0))
    _log_normalizer = lambda self, x, y: torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)
