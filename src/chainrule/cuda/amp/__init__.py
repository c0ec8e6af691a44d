"""Mixed precision under its old names for this device; `chainrule.amp` has the new ones."""

from __future__ import annotations

from typing import Any

from ...standins import finder as _standins


def __getattr__(name: str) -> Any:
    if name in ("GradScaler", "autocast", "custom_bwd", "custom_fwd"):
        import importlib

        home = importlib.import_module("...amp.old_names", __name__)
        return home.old_names("cuda")[name]
    return _standins.member("cuda.amp", name)
