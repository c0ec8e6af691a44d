"""Names of PyTorch's that a table in a room further up holds; loaded when one is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any


def rest_of(module: str) -> Callable[[str], Any]:
    """A `__getattr__` for a module: the names that the table of stand-ins has for it."""

    def find(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
        table = importlib.import_module("chainrule.standins.finder")
        return table.member(module.partition(".")[2], name)

    return find
