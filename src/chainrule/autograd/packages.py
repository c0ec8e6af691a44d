"""Packages with functions that have the names of their modules."""

from __future__ import annotations

import sys
from types import FunctionType, ModuleType
from typing import Any


class KeepsFunctions(ModuleType):
    """A package such as `multiprocessing`, whose `spawn` is a function and a module.

    Importing the module (under another name of the package, too) would put it in the place of the
    function, and `multiprocessing.spawn()` would fail from then on.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        space = vars(self)
        is_function = isinstance(space.get(name), FunctionType)
        if isinstance(value, ModuleType) and (is_function or name in space.get("_FUNCTIONS", ())):
            return
        super().__setattr__(name, value)


def keep_functions(module: str) -> None:
    """Let functions stay what they are when modules of their names are imported.

    Functions that are made on demand are named in the package's `_FUNCTIONS`.
    """
    sys.modules[module].__class__ = KeepsFunctions
