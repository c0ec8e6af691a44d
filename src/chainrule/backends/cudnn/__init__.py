"""cuDNN's switches: there is no cuDNN, so they have no effect."""

from __future__ import annotations

from .._flags import flags_of

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True
fp32_precision = "none"

flags = flags_of(globals())


def is_available() -> bool:
    """Whether cuDNN can be used: never."""
    return False


def version() -> None:
    """cuDNN's version: None."""
