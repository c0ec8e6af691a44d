"""The Dirichlet distribution."""

from __future__ import annotations

from typing import Any, ClassVar

import chainrule as torch
from chainrule.autograd.dispatch import P

from . import constraints
from .distribution import checked
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


class Dirichlet(ExponentialFamily):
    """Shares that sum to one, from a concentration for each."""

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration": constraints.independent(constraints.positive, 1)
    }
    support = constraints.simplex
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, concentration: Any, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape: Any = ()) -> Any:
        shape = self._extended_shape(sample_shape)
        return P.dirichlet_draw(self.concentration.expand(shape), generator=None)

    @checked
    def log_prob(self, value: Any) -> Any:
        a = self.concentration
        return (
            torch.xlogy(a - 1.0, value).sum(-1) + torch.lgamma(a.sum(-1)) - torch.lgamma(a).sum(-1)
        )

    mean = property(lambda self: self.concentration / self.concentration.sum(-1, True))

    @property
    def mode(self) -> Any:
        above = (self.concentration - 1).clamp(min=0.0)
        mode = above / above.sum(-1, True)
        # All of them below one: the density is greatest in the corner of the largest.
        cornered = (self.concentration < 1).all(-1, keepdim=True)
        corner = torch.nn.functional.one_hot(mode.argmax(-1), above.shape[-1]).to(mode)
        return torch.where(cornered, corner, mode)

    @property
    def variance(self) -> Any:
        total = self.concentration.sum(-1, True)
        rest = total - self.concentration
        return self.concentration * rest / (total.pow(2) * (total + 1))

    def entropy(self) -> Any:
        a, k = self.concentration, self.concentration.size(-1)
        total = a.sum(-1)
        return (
            torch.lgamma(a).sum(-1)
            - torch.lgamma(total)
            - (k - total) * torch.digamma(total)
            - ((a - 1.0) * torch.digamma(a)).sum(-1)
        )

    _natural_params = property(lambda self: (self.concentration,))
    _log_normalizer = lambda self, x: x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
