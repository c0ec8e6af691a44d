"""A finite change: what the gradient predicts, and what really happens."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..autograd.modes import no_grad
from ..autograd.value import TensorBase, make
from ..reading.svg import short_number
from ..reading.terminal import Block, Report, Text


@dataclass(frozen=True)
class WhatIf(Report):
    """The first-order prediction of a change beside the recomputed value."""

    name: str
    before: float
    predicted: float
    actual: float

    @property
    def residual(self) -> float:
        """What the gradient does not know: curvature, kinks, limits."""
        return self.actual - self.predicted

    @property
    def error(self) -> float:
        """|residual| as a share of the actual change."""
        moved = abs(self.actual - self.before)
        return abs(self.residual) / moved if moved else (0.0 if not self.residual else np.inf)

    def blocks(self) -> list[Block]:
        n = short_number
        return [
            Text([
                f"{self.name}: {n(self.before, 6)} now",
                f"  predicted to first order  {n(self.predicted, 6)}  "
                f"({n(self.predicted - self.before)})",
                f"  recomputed                {n(self.actual, 6)}  "
                f"({n(self.actual - self.before)})",
                f"  residual                  {n(self.residual, 6)}  "
                f"({self.error:.1%} of the change is not first order)",
            ])
        ]  # fmt: skip


def compare_with(explanation: Any, change: Any, f: Callable[..., Any]) -> WhatIf:
    """Predict, recompute, compare."""
    x = explanation.x
    delta = np.asarray(getattr(change, "_a", change), x._a.dtype)
    moved = x._a + delta
    with no_grad():
        if _takes_nothing(f):
            actual = _with_value(x, moved, f)
        else:
            actual = f(make(moved.reshape(x._a.shape)))
    value = actual._a if isinstance(actual, TensorBase) else np.asarray(actual)
    return WhatIf(
        explanation.y_name, float(explanation.y._a.reshape(())), explanation.predict(delta),
        float(value.reshape(())),
    )  # fmt: skip


def _takes_nothing(f: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return False
    return not any(p.default is p.empty and p.kind not in (p.VAR_KEYWORD,) for p in parameters)


def _with_value(x: Any, value: Any, f: Callable[[], Any]) -> Any:
    kept = x._a
    x._a = value.reshape(kept.shape)  # not a write: nobody's saved values are touched
    try:
        return f()
    finally:
        x._a = kept


__all__ = ["WhatIf", "compare_with"]
