"""What autocast is set to in this thread, and the functions that ask and set it one by one.

`STATE.autocast` is None while everything is as at the start, otherwise a `Settings`. Public
functions look at it only while autocast is on somewhere (`routes.py`); when it is off it costs
nothing.
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator
from typing import Any

from ..autograd.state import STATE
from ..ops.dtypes import bfloat16, float16

DEVICES = ("cpu", "cuda", "xpu", "mps", "hpu", "mtia", "maia", "xla")
_DEFAULT_DTYPES = {"cpu": bfloat16, "mtia": bfloat16, "maia": bfloat16, "xla": bfloat16,
                   "hpu": bfloat16}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Settings:
    """Autocast of one thread: which devices cast, to what, and whether cast weights are kept."""

    enabled: frozenset[str] = frozenset()
    dtypes: tuple[tuple[str, Any], ...] = ()  # where not the device's default
    cache_enabled: bool = True

    def dtype(self, device_type: str) -> Any:
        """What the device computes in."""
        return dict(self.dtypes).get(device_type, _DEFAULT_DTYPES.get(device_type, float16))

    def with_dtype(self, device_type: str, dtype: Any) -> Settings:
        """The same with another type for a device."""
        dtypes = dict(self.dtypes)
        dtypes.pop(device_type, None)
        if dtype is not _DEFAULT_DTYPES.get(device_type, float16):
            dtypes[device_type] = dtype
        return dataclasses.replace(self, dtypes=tuple(sorted(dtypes.items())))

    def with_enabled(self, device_type: str, enabled: bool) -> Settings:
        """The same with casting on a device on or off."""
        changed = self.enabled | {device_type} if enabled else self.enabled - {device_type}
        return dataclasses.replace(self, enabled=changed)


_DEFAULT = Settings()


def present_autocast() -> Settings:
    """The settings of this thread."""
    return STATE.autocast or _DEFAULT


def switch(settings: Settings) -> None:
    """Put settings into force in this thread."""
    before = "cpu" in present_autocast().enabled
    after = "cpu" in settings.enabled
    STATE.autocast = None if settings == _DEFAULT else settings
    if before is not after:
        from . import routes

        routes.count_thread(1 if after else -1)


@contextlib.contextmanager
def restored_autocast(settings: Settings) -> Iterator[None]:
    """Inside the block, these settings."""
    previous = present_autocast()
    if settings == previous:
        yield
        return
    switch(settings)
    try:
        yield
    finally:
        switch(previous)
