"""Categories as one-hot vectors."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from . import constraints
from .categorical import Categorical
from .distribution import Distribution, checked, regions
from .probs_or_logits import OfCategorical

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(OfCategorical, Distribution):
    """A categorical distribution whose samples are one-hot vectors."""

    arg_constraints = regions(probs=constraints.simplex, logits=constraints.real_vector)
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        self._categorical = Categorical(probs, logits)
        event = self._categorical.param_shape[-1:]
        Distribution.__init__(self, self._categorical.batch_shape, event, validate_args)

    mean = property(lambda self: self.probs)
    mode = property(lambda self: self._one_hot(self.probs.argmax(-1)))
    variance = property(lambda self: self.probs * (1 - self.probs))

    def _one_hot(self, indices: Any) -> Any:
        return torch.nn.functional.one_hot(indices, self._event_shape[0]).to(self.probs)

    sample = lambda self, sample_shape=(): self._one_hot(self._categorical.sample(sample_shape))
    log_prob = checked(lambda self, value: self._categorical.log_prob(value.argmax(-1)))
    entropy = lambda self: self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Any:
        n = self._event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype)
        values = values.view(n, *(1 for _ in self._batch_shape), n)
        return values.expand(n, *self._batch_shape, n) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """One-hot samples whose gradient is that of the probabilities."""

    has_rsample = True

    def rsample(self, sample_shape: Any = ()) -> Any:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())
