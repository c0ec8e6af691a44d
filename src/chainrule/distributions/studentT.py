"""Student's t distribution."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from . import constraints
from .chi2 import Chi2
from .distribution import Distribution, checked, regions
from .utils import standard_normal

__all__ = ["StudentT"]


class StudentT(Distribution):
    """A normal variable over the root of an independent Chi2(df) / df, moved and stretched."""

    arg_constraints = regions(
        df=constraints.positive, loc=constraints.real, scale=constraints.positive
    )
    support = constraints.real
    has_rsample = True

    def __init__(
        self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None
    ) -> None:
        self._set(validate_args, df=df, loc=loc, scale=scale)
        self._chi2 = Chi2(self.df)

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        new._chi2 = self._chi2.expand(batch_shape)

    mean = property(lambda self: self.loc.masked_fill(self.df <= 1, torch.nan))
    mode = property(lambda self: self.loc)

    @property
    def variance(self) -> Any:
        finite = self.scale.pow(2) * self.df / (self.df - 2)
        unbounded = finite.masked_fill((self.df <= 2) & (self.df > 1), torch.inf)
        return unbounded.masked_fill(self.df <= 1, torch.nan)

    def rsample(self, sample_shape: Any = ()) -> Any:
        noise = standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        spread = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (noise * torch.rsqrt(spread / self.df))

    @checked
    def log_prob(self, value: Any) -> Any:
        y = (value - self.loc) / self.scale
        log_norm = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + torch.lgamma(0.5 * self.df)
            - torch.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - log_norm

    def entropy(self) -> Any:
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = torch.lgamma(half) + math.lgamma(0.5) - torch.lgamma(more)
        spread = more * (torch.digamma(more) - torch.digamma(half))
        return self.scale.log() + spread + 0.5 * self.df.log() + log_beta
