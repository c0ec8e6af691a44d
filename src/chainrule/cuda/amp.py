"""Mixed precision under its old CUDA name; `chainrule.amp` is the same for the CPU."""

from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name in ("GradScaler", "autocast"):
        import importlib

        return getattr(importlib.import_module("...amp", __name__), name)
    raise AttributeError(f"module 'chainrule.cuda.amp' has no attribute {name!r}")
