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


def get_device_module(device: Any = None) -> Any:
    """The module that speaks for a kind of device: `torch.cpu` unless told.

    >>> import chainrule as torch
    >>> torch.get_device_module("cpu") is torch.cpu
    True
    """
    import chainrule

    if not (device is None or isinstance(device, str | chainrule.device)):
        raise RuntimeError(f"Invalid value of device '{device}', expect torch.device, str, or None")
    kind = "cpu" if device is None else chainrule.device(device).type
    found = getattr(chainrule, kind, None)
    if found is None:
        raise RuntimeError(
            f"Device '{kind}' does not have a corresponding module registered as 'torch.{kind}'."
        )
    return found


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Always an error: it needs an accelerator."""
    raise RuntimeError(
        "Cannot access accelerator device when none is available. chainrule computes on the CPU; "
        "guard the call with torch.accelerator.is_available()."
    )


current_device_index = current_device_idx = set_device_index = set_device_idx = _refuse
synchronize = current_stream = set_stream = _refuse


_add_stand_ins(globals())
