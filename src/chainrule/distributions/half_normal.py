"""The half-normal distribution."""

from __future__ import annotations

import math
from typing import Any

from .half_of_symmetric import HalfOfSymmetric
from .normal import Normal

__all__ = ["HalfNormal"]


class HalfNormal(HalfOfSymmetric):
    """|x| of a normal variable with mean 0."""

    whole = Normal

    @property
    def mean(self) -> Any:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Any:
        return self.scale.pow(2) * (1 - 2 / math.pi)
