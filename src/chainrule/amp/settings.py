"""What autocast can be set to, and what a thread keeps while it is on."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

from ..ops.dtypes import bfloat16, float16

DEFAULT_DTYPES = {
    "cpu": bfloat16, "cuda": float16, "xpu": float16, "mps": float16, "ipu": float16,
    "hpu": bfloat16, "mtia": float16, "maia": bfloat16, "xla": bfloat16,
}  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Settings:
    """Autocast of one thread: which devices cast, to what, and whether cast weights are kept."""

    enabled: frozenset[str] = frozenset()
    dtypes: tuple[tuple[str, Any], ...] = ()  # where not the device's default
    cache_enabled: bool = True

    def dtype(self, device_type: str) -> Any:
        """What the device computes in."""
        return dict(self.dtypes).get(device_type, DEFAULT_DTYPES[device_type])

    def changed(self, device_type: str, enabled: bool, dtype: Any) -> Settings:
        """The same with other settings for a device."""
        devices = self.enabled | {device_type} if enabled else self.enabled - {device_type}
        dtypes = {**dict(self.dtypes), device_type: dtype}
        if dtype is DEFAULT_DTYPES[device_type]:
            del dtypes[device_type]
        return dataclasses.replace(self, enabled=devices, dtypes=tuple(sorted(dtypes.items())))

    def of_written_forms(self, autocast: str) -> Settings:
        """What holds inside `x.name_(...)` and `name(..., out=...)` of a public function.

        To PyTorch those of a function that says how it casts are other functions, which say
        nothing; of a function that says nothing, the parts are cast.
        """
        return START if autocast else self


START = Settings()


class _Thread(threading.local):
    """Kept only while autocast is on: how deep blocks are nested, and the weights cast in them."""

    def __init__(self) -> None:
        self.depth = 0
        self.casts: dict[Any, Any] = {}


THREAD = _Thread()
