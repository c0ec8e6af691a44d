"""The Gumbel distribution."""

from __future__ import annotations

import math
from typing import Any

import chainrule as torch

from . import constraints
from .distribution import checked, regions
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """The limit of maxima: loc - scale * log(-log u)."""

    arg_constraints = regions(loc=constraints.real, scale=constraints.positive)
    support = constraints.real

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        info = torch.finfo(self.loc.dtype)
        base = Uniform(
            torch.full_like(self.loc, info.tiny),
            torch.full_like(self.loc, 1 - info.eps),
            validate_args=validate_args,
        )
        steps = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-torch.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        super().__init__(base, steps, validate_args=validate_args)

    @checked
    def log_prob(self, value: Any) -> Any:
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    mean = property(lambda self: self.loc + self.scale * euler_constant)
    mode = property(lambda self: self.loc)
    stddev = property(lambda self: (math.pi / math.sqrt(6)) * self.scale)
    variance = property(lambda self: self.stddev.pow(2))
    entropy = lambda self: self.scale.log() + (1 + euler_constant)
