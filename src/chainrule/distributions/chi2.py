"""The chi-squared distribution."""

from __future__ import annotations

from typing import Any

from . import constraints
from .distribution import regions
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of `df` squared standard normal variables."""

    arg_constraints = regions(df=constraints.positive)

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self) -> Any:
        """Degrees of freedom."""
        return self.concentration * 2

    def _expand_into(self, new: Any, batch_shape: Any) -> None:
        new.concentration = self.concentration.expand(batch_shape)
        new.rate = self.rate.expand(batch_shape)
