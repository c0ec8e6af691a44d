"""Accelerators, honestly: there are none."""

from __future__ import annotations

from typing import Any, NoReturn

from ..standins import add_to as _add_stand_ins


def is_available() -> bool:
    """Whether an accelerator can be used: never."""
    return False


def current_accelerator(check_available: bool = False) -> Any:
    """The accelerator's device: None."""
    return None


def device_count() -> int:
    """How many there are: 0."""
    return 0


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Always an error: it needs an accelerator."""
    raise RuntimeError(
        "Cannot access accelerator device when none is available. chainrule computes on the CPU; "
        "guard the call with torch.accelerator.is_available()."
    )


current_device_index = current_device_idx = set_device_index = set_device_idx = _refuse
synchronize = current_stream = set_stream = _refuse


_add_stand_ins(globals())
