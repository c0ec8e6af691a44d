"""Exponential families: densities exp(natural parameters . statistics - log normaliser)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as torch

from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution whose entropy and divergences follow from its log normaliser."""

    @property
    def _natural_params(self) -> tuple[Any, ...]:
        raise NotImplementedError

    def _unknown(self, *natural_params: Any) -> Any:
        raise NotImplementedError

    _log_normalizer: Callable[..., Any] = _unknown
    _mean_carrier_measure: float

    def entropy(self) -> Any:
        """By the gradient of the log normaliser, which is the mean of the statistics."""
        if not hasattr(type(self), "_mean_carrier_measure"):
            raise NotImplementedError(f"{type(self).__name__} does not know its entropy")
        result: Any = -self._mean_carrier_measure
        params = [p.detach().requires_grad_() for p in self._natural_params]
        normaliser = self._log_normalizer(*params)
        means = torch.autograd.grad(normaliser.sum(), params, create_graph=True)
        result = result + normaliser
        for p, mean in zip(params, means, strict=True):
            result = result - (p * mean).reshape(*self._batch_shape, -1).sum(-1)
        return result
