"""The categorical distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from . import constraints
from .distribution import Distribution, checked, counted, regions
from .utils import lazy_property, logits_to_probs, probs_to_logits

__all__ = ["Categorical"]


class Categorical(Distribution):
    """One of K categories, by `probs` (normalised) or `logits` along the last dimension.

    >>> import chainrule as torch
    >>> from chainrule.distributions import Categorical
    >>> _ = torch.manual_seed(0)
    >>> Categorical(torch.tensor([0.25, 0.25, 0.25, 0.25])).sample((4,))
    tensor([3, 2, 1, 3])
    """

    arg_constraints = regions(probs=constraints.simplex, logits=constraints.real_vector)
    has_enumerate_support = True

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        self._given = "probs" if logits is None else "logits"
        value = probs if logits is None else logits
        if value.dim() < 1:
            raise ValueError(f"`{self._given}` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = value / value.sum(-1, keepdim=True)
        else:
            self.logits = value - value.logsumexp(dim=-1, keepdim=True)
        self._num_events = value.size()[-1]
        super().__init__(value.shape[:-1], validate_args=validate_args)

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        new._given, new._num_events = self._given, self._num_events

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:  # type: ignore[override]
        return constraints.integer_interval(0, self._num_events - 1)

    _param = property(lambda self: self.__dict__[self._given])

    def _new(self, *args: Any, **kwargs: Any) -> Any:
        return self._param.new(*args, **kwargs)

    @lazy_property
    def logits(self) -> Any:
        """Log-probabilities."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Any:
        """Probabilities."""
        return logits_to_probs(self.logits)

    @property
    def param_shape(self) -> Any:
        """The shape of what was given."""
        return self._param.size()

    @property
    def mean(self) -> Any:
        return torch.full(self._extended_shape(), torch.nan, dtype=self.probs.dtype)

    variance = mean
    mode = property(lambda self: self.probs.argmax(dim=-1))

    def sample(self, sample_shape: Any = ()) -> Any:
        sample_shape = torch.Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        drawn = torch.multinomial(rows, sample_shape.numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    @checked
    def log_prob(self, value: Any) -> Any:
        index, logits = value.long().unsqueeze(-1), self.logits
        if index.shape[:-1] != logits.shape[:-1]:
            index, logits = torch.broadcast_tensors(index, logits)
            index = index[..., :1]
        return logits.gather(-1, index).squeeze(-1)

    def entropy(self) -> Any:
        finite = self.logits.clamp(min=torch.finfo(self.logits.dtype).min)
        return -(finite * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        return counted(torch.arange(self._num_events), self._batch_shape, expand)
