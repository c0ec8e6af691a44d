"""Mixtures whose components are of one family."""

from __future__ import annotations

from typing import Any, ClassVar

import chainrule as torch

from . import constraints
from .categorical import Categorical
from .distribution import Distribution, checked

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """One of the components (the last batch dimension of a distribution), chosen by a Categorical.

    >>> import chainrule as torch
    >>> from chainrule.distributions import Categorical, MixtureSameFamily, Normal
    >>> weights = Categorical(torch.tensor([0.5, 0.5]))
    >>> mixture = MixtureSameFamily(weights, Normal(torch.tensor([-1.0, 1.0]), torch.ones(2)))
    >>> mixture.mean, mixture.variance
    (tensor(0.), tensor(2.))
    """

    arg_constraints: ClassVar[dict[str, Any]] = {}
    has_rsample = False

    def __init__(
        self,
        mixture_distribution: Any,
        component_distribution: Any,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                "The Mixture distribution needs to be an instance of torch.distributions."
                "Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of torch.distributions."
                "Distribution"
            )
        _check_shapes(mixture_distribution, component_distribution)
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        self._num_component = mixture_distribution.logits.shape[-1]
        event = component_distribution.event_shape
        self._event_ndims = len(event)
        super().__init__(component_distribution.batch_shape[:-1], event, validate_args)

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        components = (*batch_shape, self._num_component)
        new._component_distribution = self._component_distribution.expand(components)
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims

    @constraints.dependent_property
    def support(self) -> Any:  # type: ignore[override]
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Any:
        """Which component."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        """The components."""
        return self._component_distribution

    def _over_components(self, values: Any) -> Any:
        """The mean over components of something each of them has, events last."""
        probs = self._mixture_distribution.probs
        weights = probs.view(*probs.shape, *(1 for _ in self._event_shape))
        return (weights * values).sum(-1 - self._event_ndims)

    mean = property(lambda self: self._over_components(self._component_distribution.mean))

    @property
    def variance(self) -> Any:
        inside = self._over_components(self._component_distribution.variance)
        away = self._component_distribution.mean - self._pad(self.mean)
        return inside + self._over_components(away.pow(2.0))

    _pad = lambda self, x: x.unsqueeze(-1 - self._event_ndims)

    def cdf(self, x: Any) -> Any:
        below = self._component_distribution.cdf(self._pad(x))
        return (below * self._mixture_distribution.probs).sum(-1)

    @checked
    def log_prob(self, x: Any) -> Any:
        each = self._component_distribution.log_prob(self._pad(x))
        weights = torch.log_softmax(self._mixture_distribution.logits, dim=-1)
        return torch.logsumexp(each + weights, dim=-1)

    def sample(self, sample_shape: Any = ()) -> Any:
        with torch.no_grad():
            chosen = self._mixture_distribution.sample(sample_shape)
            drawn = self._component_distribution.sample(sample_shape)
            at = len(sample_shape) + len(self._batch_shape)
            index = chosen.reshape(*chosen.shape, 1, *(1 for _ in self._event_shape))
            index = index.expand(*drawn.shape[:at], 1, *self._event_shape)
            return drawn.gather(at, index).squeeze(at)

    def __repr__(self) -> str:
        return (
            f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
        )


def _check_shapes(mixture: Any, component: Any) -> None:
    ours, theirs = mixture.batch_shape, component.batch_shape[:-1]
    for a, b in zip(reversed(ours), reversed(theirs), strict=False):
        if a != 1 and b != 1 and a != b:
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({ours}) is not compatible with "
                f"`component_distribution.batch_shape`({theirs})"
            )
    count, components = mixture.logits.shape[-1], component.batch_shape[-1]
    if count != components:
        raise ValueError(
            f"`mixture_distribution component` ({count}) does not equal "
            f"`component_distribution.batch_shape[-1]` ({components})"
        )
