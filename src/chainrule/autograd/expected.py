"""What functions make sure of before they use numbers: indices, classes, probabilities."""

from __future__ import annotations

from typing import Any

from .state import STATE, TRACE
from .value import bottom


def expect_within(tensor: Any, low: float, high: float, spared: int | None = None) -> None:
    """Tell a trace that numbers were found to lie within low..high, or to equal `spared`.

    A compiled call checks the same before it writes anything, whether or not the result of what
    follows is used; where it does not hold, the function runs eagerly and raises its own error.
    Below transforms that is so of the numbers of every example.
    """
    if not STATE.unusual & TRACE:
        return
    plain = bottom(tensor)
    if plain._level is None:
        STATE.trace.expect(plain, low, high, spared)
