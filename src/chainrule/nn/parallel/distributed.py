"""`DistributedDataParallel`, which lives above this layer, with the groups it works in."""

from __future__ import annotations

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    if name == "DistributedDataParallel":
        # By its full name: it lies above this layer.
        return importlib.import_module("chainrule" + ".distributed.ddp").DistributedDataParallel
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
