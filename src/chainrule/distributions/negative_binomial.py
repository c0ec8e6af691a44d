"""The negative binomial distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch
from chainrule.nn import functional as F

from . import constraints
from .distribution import Distribution, checked, regions
from .gamma import Gamma
from .probs_or_logits import BinaryParameter
from .utils import broadcast_all, lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(BinaryParameter, Distribution):
    """Successes (of probability `probs`) before `total_count` failures."""

    arg_constraints = regions(
        total_count=constraints.greater_than_eq(0),
        probs=constraints.half_open_interval(0.0, 1.0),
        logits=constraints.real,
    )
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self._given, value = self._choose(probs, logits)
        count, value = broadcast_all(total_count, value)
        self._set(validate_args, **{"total_count": count.type_as(value), self._given: value})

    mean = property(lambda self: self.total_count * torch.exp(self.logits))

    @property
    def mode(self) -> Any:
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    variance = property(lambda self: self.mean / torch.sigmoid(-self.logits))

    @lazy_property
    def _gamma(self) -> Any:
        rate = torch.exp(-self.logits)
        return Gamma(concentration=self.total_count, rate=rate, validate_args=False)

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape))

    @checked
    def log_prob(self, value: Any) -> Any:
        n = self.total_count
        unnormalised = n * F.logsigmoid(-self.logits) + value * F.logsigmoid(self.logits)
        ways = -torch.lgamma(n + value) + torch.lgamma(1.0 + value) + torch.lgamma(n)
        # Nothing to wait for: lgamma(0) is infinite on both sides.
        return unnormalised - ways.masked_fill(n + value == 0.0, 0.0)
