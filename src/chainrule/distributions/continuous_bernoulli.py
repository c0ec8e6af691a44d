"""The continuous Bernoulli distribution."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch
from chainrule.nn import functional as F

from . import constraints
from .distribution import checked, regions
from .exp_family import ExponentialFamily
from .probs_or_logits import BinaryParameter
from .utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(BinaryParameter, ExponentialFamily):
    """A number in [0, 1] with density proportional to p^x (1-p)^(1-x).

    Near p = 1/2 (inside `lims`) the formulas divide zero by zero; there a Taylor series is used.
    """

    arg_constraints = regions(probs=constraints.unit_interval, logits=constraints.real)
    support = constraints.unit_interval
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        probs: Any = None,
        logits: Any = None,
        lims: tuple[float, float] = (0.499, 0.501),
        validate_args: bool | None = None,
    ) -> None:
        low, high = lims
        self._lims = (float(low), float(high))
        self._given, value = self._choose(probs, logits)
        (value,) = broadcast_all(value)
        if logits is None:
            if validate_args is not None and not constraints.unit_interval.check(value).all():
                raise ValueError("The parameter probs has invalid values")
            value = clamp_probs(value)
        self._set(validate_args, **{self._given: value})

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        super()._expand_into(new, batch_shape)
        new._lims = self._lims

    @lazy_property
    def probs(self) -> Any:  # type: ignore[override]
        """The parameter p (not the mean)."""
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _regular(self) -> Any:
        """Where the closed formulas may be used."""
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _safe(self) -> Any:
        """p, or the limit of the regular region where it is outside of it."""
        return torch.where(self._regular(), self.probs, self._lims[0])

    def _cont_bern_log_norm(self) -> Any:
        p = self._safe()
        below = torch.where(p <= 0.5, p, 0.0)
        above = torch.where(p >= 0.5, p, 1.0)
        gap = torch.where(p <= 0.5, torch.log1p(-2.0 * below), torch.log(2.0 * above - 1.0))
        closed = torch.log((torch.log1p(-p) - p.log()).abs()) - gap
        x = (self.probs - 0.5).pow(2)
        series = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return torch.where(self._regular(), closed, series)

    @property
    def mean(self) -> Any:
        p = self._safe()
        closed = p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - p.log())
        x = self.probs - 0.5
        series = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return torch.where(self._regular(), closed, series)

    @property
    def variance(self) -> Any:
        p = self._safe()
        log_odds = torch.log1p(-p) - p.log()
        closed = p * (p - 1.0) / (1.0 - 2.0 * p).pow(2) + 1.0 / log_odds.pow(2)
        x = (self.probs - 0.5).pow(2)
        series = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return torch.where(self._regular(), closed, series)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype))

    @checked
    def log_prob(self, value: Any) -> Any:
        logits, value = broadcast_all(self.logits, value)
        fit = F.binary_cross_entropy_with_logits(logits, value, reduction="none")
        return self._cont_bern_log_norm() - fit

    @checked
    def cdf(self, value: Any) -> Any:
        p = self._safe()
        closed = (p.pow(value) * (1.0 - p).pow(1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = torch.where(self._regular(), closed, value)
        return torch.where(value <= 0.0, 0.0, torch.where(value >= 1.0, 1.0, inside))

    def icdf(self, value: Any) -> Any:
        p = self._safe()
        above = torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p)
        return torch.where(self._regular(), above / (p.log() - torch.log1p(-p)), value)

    def entropy(self) -> Any:
        no, yes = torch.log1p(-self.probs), self.probs.log()
        return self.mean * (no - yes) - self._cont_bern_log_norm() - no

    _natural_params = property(lambda self: (self.logits,))

    def _log_normalizer(self, x: Any) -> Any:
        low, high = self._lims[0] - 0.5, self._lims[1] - 0.5
        regular = (x <= low) | (x > high)
        safe = torch.where(regular, x, low)
        closed = torch.expm1(safe).abs().log() - safe.abs().log()
        return torch.where(regular, closed, 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0)
