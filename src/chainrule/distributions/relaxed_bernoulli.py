"""Bernoulli made continuous, so that gradients flow through samples."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from . import constraints
from .distribution import Distribution, checked, regions
from .probs_or_logits import BinaryParameter
from .transformed_distribution import TransformedDistribution
from .transforms import SigmoidTransform
from .utils import broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(BinaryParameter, Distribution):
    """The logit of a relaxed Bernoulli variable."""

    arg_constraints = regions(probs=constraints.unit_interval, logits=constraints.real)
    support = constraints.real

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        self._given, value = self._choose(probs, logits)
        self._set(validate_args, **{self._given: value})

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        super()._expand_into(new, batch_shape)
        new.temperature = self.temperature

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=probs.dtype))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    @checked
    def log_prob(self, value: Any) -> Any:
        logits, value = broadcast_all(self.logits, value)
        away = logits - value.mul(self.temperature)
        return self.temperature.log() + away - 2 * away.exp().log1p()


class Relaxed(TransformedDistribution):
    """Continuous instead of discrete, so that samples have gradients."""

    has_rsample = True

    @property
    def temperature(self) -> Any:
        """How far from the discrete values."""
        return self.base_dist.temperature

    @property
    def logits(self) -> Any:
        """Log-odds, or logarithms of the probabilities."""
        return self.base_dist.logits

    @property
    def probs(self) -> Any:
        """Probabilities."""
        return self.base_dist.probs


class RelaxedBernoulli(Relaxed):
    """A number in (0, 1) that is nearly 0 or 1 at low temperature."""

    arg_constraints = regions(probs=constraints.unit_interval, logits=constraints.real)
    support = constraints.unit_interval

    def __init__(
        self,
        temperature: Any,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)
