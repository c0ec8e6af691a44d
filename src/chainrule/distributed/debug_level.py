"""How much collectives check: `TORCH_DISTRIBUTED_DEBUG`."""

from __future__ import annotations

import enum
import os

from ..autograd.accidents import explain_module


class DebugLevel(enum.IntEnum):
    """How much collectives check and report."""

    OFF = 0
    INFO = 1
    DETAIL = 2


_level = [DebugLevel.OFF]


def get_debug_level() -> DebugLevel:
    """How much collectives check: with DETAIL ranks compare their calls before each."""
    return _level[0]


def set_debug_level(level: DebugLevel) -> None:
    """Set how much collectives check."""
    _level[0] = DebugLevel(level)


def set_debug_level_from_env() -> None:
    """As the variable TORCH_DISTRIBUTED_DEBUG says."""
    name = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF").upper()
    if name not in DebugLevel.__members__:
        raise RuntimeError(
            "The value of TORCH_DISTRIBUTED_DEBUG must be OFF, INFO, or DETAIL, not " + repr(name)
        )
    set_debug_level(DebugLevel[name])


explain_module(globals())
