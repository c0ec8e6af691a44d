"""What a rule is: a listener of a run that may have something to say at its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..finding import Finding

if TYPE_CHECKING:
    from ..run import Run


class Rule:
    """A rule: methods named as the events of `run.EVENTS` are called with them.

    The class's docstring says what it watches, when it speaks, and which healthy programs look
    alike; `findings` says what was found.
    """

    id = ""
    hears_all = False  # also passes and steps that are not looked at

    def __init__(self, run: Run) -> None:
        self.run = run

    def findings(self) -> Iterator[Finding]:
        """What there is to say, asked when the run has ended."""
        return iter(())


def array(tensor: Any) -> np.ndarray | None:
    """The memory of a tensor, or None where it is no plain array."""
    found = getattr(tensor, "_a", None)
    return found if isinstance(found, np.ndarray) else None


def fingerprint(tensor: Any) -> tuple[Any, ...] | None:
    """Tells two states of a tensor apart, cheaply; None if there is none or it is zero."""
    a = None if tensor is None else array(tensor)
    if a is None or a.size == 0:
        return None
    flat = a.reshape(-1) if a.flags.c_contiguous else a.ravel()
    sample = flat[:: max(1, flat.size // 128)]
    if not sample.any() and not flat.any():
        return None
    return a.shape, sample.tobytes()


def version(tensor: Any) -> int:
    """How often a tensor was written in place."""
    counter = tensor._v
    return 0 if counter is None else counter[0]


__all__ = ["Rule", "array", "fingerprint", "version"]
