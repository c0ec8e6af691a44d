"""Modules that are loaded when something of them is first used: `import chainrule` stays short."""

from __future__ import annotations

import importlib
from typing import Any


class Later:
    """Stands for a module: `arrays = Later(".conv_arrays", __package__)`, then `arrays.name`."""

    def __init__(self, name: str, package: str | None) -> None:
        self.__dict__["_where"] = (name, package)

    def __getattr__(self, name: str) -> Any:
        where = self.__dict__.get("_where")
        if where is None:  # it is loaded, and has no such name
            raise AttributeError(f"module {self.__dict__['__name__']!r} has no attribute {name!r}")
        module = importlib.import_module(*where)
        self.__dict__ = vars(module)  # from now on a look costs no more than in the module itself
        return getattr(module, name)
