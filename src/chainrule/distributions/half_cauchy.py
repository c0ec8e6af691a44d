"""The half-Cauchy distribution."""

from __future__ import annotations

from typing import Any

import chainrule as torch

from .cauchy import Cauchy
from .half_of_symmetric import HalfOfSymmetric

__all__ = ["HalfCauchy"]


class HalfCauchy(HalfOfSymmetric):
    """|x| of a Cauchy variable around 0."""

    whole = Cauchy

    @property
    def mean(self) -> Any:
        return torch.full(self._extended_shape(), torch.inf, dtype=self.scale.dtype)

    variance = property(lambda self: self.base_dist.variance)
