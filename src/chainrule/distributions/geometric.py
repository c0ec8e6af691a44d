"""The geometric distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch
from chainrule.nn import functional as F

from . import constraints
from .distribution import Distribution, checked, regions
from .probs_or_logits import BinaryParameter
from .utils import broadcast_all

__all__ = ["Geometric"]


class Geometric(BinaryParameter, Distribution):
    """The number of failures before the first success."""

    arg_constraints = regions(probs=constraints.unit_interval, logits=constraints.real)
    support = constraints.nonnegative_integer

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._given, value = self._choose(probs, logits)
        self._set(validate_args, **{self._given: value})
        if self._validate_args and self._given == "probs" and not (self.probs > 0).all():
            raise ValueError(
                f"Expected parameter probs ({type(self.probs).__name__} of shape "
                f"{tuple(self.probs.shape)}) of distribution {self!r} to be positive but found "
                f"invalid values:\n{self.probs[self.probs <= 0]}"
            )

    mean = property(lambda self: 1.0 / self.probs - 1.0)
    mode = property(lambda self: torch.zeros_like(self.probs))
    variance = property(lambda self: (1.0 / self.probs - 1.0) / self.probs)

    def sample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        tiny = torch.finfo(self.probs.dtype).tiny
        with torch.no_grad():
            u = self.probs.new_empty(shape).uniform_(tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    @checked
    def log_prob(self, value: Any) -> Any:
        value, probs = broadcast_all(value, self.probs)
        certain = (probs == 1) & (value == 0)  # 0 * log(0) is 0
        return value * (-probs.masked_fill(certain, 0)).log1p() + self.probs.log()

    def entropy(self) -> Any:
        one = F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")
        return one / self.probs
