"""The half-normal distribution."""

from __future__ import annotations

import math

from .half_of_symmetric import HalfOfSymmetric
from .normal import Normal

__all__ = ["HalfNormal"]


class HalfNormal(HalfOfSymmetric):
    """|x| of a normal variable with mean 0."""

    whole = Normal
    mean = property(lambda self: self.scale * math.sqrt(2 / math.pi))
    variance = property(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))
