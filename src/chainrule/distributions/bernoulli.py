"""The Bernoulli distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch
from chainrule.nn import functional as F

from . import constraints
from .distribution import checked, counted, regions
from .exp_family import ExponentialFamily
from .probs_or_logits import BinaryParameter
from .utils import broadcast_all

__all__ = ["Bernoulli"]


class Bernoulli(BinaryParameter, ExponentialFamily):
    """1 with probability `probs`, else 0."""

    arg_constraints = regions(probs=constraints.unit_interval, logits=constraints.real)
    support = constraints.boolean
    has_enumerate_support = True
    _mean_carrier_measure = 0

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._given, value = self._choose(probs, logits)
        self._set(validate_args, **{self._given: value})

    mean = property(lambda self: self.probs)

    @property
    def mode(self) -> Any:
        likely = (self.probs >= 0.5).to(self.probs)
        return likely.masked_fill(self.probs == 0.5, torch.nan)

    variance = property(lambda self: self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    @checked
    def log_prob(self, value: Any) -> Any:
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Any:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Any:
        return counted(torch.arange(2, dtype=self._param.dtype), self._batch_shape, expand)

    _natural_params = property(lambda self: (torch.logit(self.probs),))
    _log_normalizer = lambda self, x: torch.log1p(x.exp())
