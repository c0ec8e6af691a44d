"""The binomial distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from . import constraints
from .distribution import Distribution, checked, counted, regions
from .probs_or_logits import BinaryParameter
from .utils import broadcast_all

__all__ = ["Binomial"]


class Binomial(BinaryParameter, Distribution):
    """Successes in `total_count` trials."""

    arg_constraints = regions(
        total_count=constraints.nonnegative_integer,
        probs=constraints.unit_interval,
        logits=constraints.real,
    )
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Any = 1,
        probs: Any = None,
        logits: Any = None,
        validate_args: bool | None = None,
    ) -> None:
        self._given, value = self._choose(probs, logits)
        count, value = broadcast_all(total_count, value)
        self._set(validate_args, **{"total_count": count.type_as(value), self._given: value})

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:  # type: ignore[override]
        return constraints.integer_interval(0, self.total_count)

    mean = property(lambda self: self.total_count * self.probs)

    @property
    def mode(self) -> Any:
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    variance = property(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    @checked
    def log_prob(self, value: Any) -> Any:
        n, logits = self.total_count, self.logits
        ways = torch.lgamma(n + 1) - torch.lgamma(value + 1) - torch.lgamma(n - value + 1)
        # n log(1 + exp(logits)), whose gradient at 0 is one half.
        positive = (logits.clamp(min=0) + logits - logits.clamp(max=0)) / 2
        return value * logits + ways - n * positive - n * torch.log1p(torch.exp(-logits.abs()))

    def _one_count(self, asked: str) -> int:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{asked}`.")
        return count

    def entropy(self) -> Any:
        self._one_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Any:
        values = torch.arange(1 + self._one_count("enumerate_support"), dtype=self._param.dtype)
        return counted(values, self._batch_shape, expand)
