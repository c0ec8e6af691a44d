"""Package modules such as `chainrule.linalg`, filled from the public table when first asked."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..autograd import source
from .api import functions_of


def filled_on_demand(
    space: dict[str, Any], namespace: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a module whose functions are those of `namespace`."""

    def fill() -> None:
        for name, function in functions_of(namespace).items():
            space.setdefault(name, function)

    def attribute(name: str) -> Any:
        if name == "__all__":  # a star import
            return names()
        if name.startswith("__"):  # asked for by the import system; not worth filling
            raise AttributeError(f"module {space['__name__']!r} has no attribute {name!r}")
        fill()
        if name not in space:
            raise missing(space["__name__"], name)
        return space[name]

    def names() -> list[str]:
        fill()
        return sorted(n for n in space if not n.startswith("_"))

    return attribute, names


class LoadedWhenUsed(ModuleType):
    """A package whose names are loaded one by one; who asks for all of them loads the rest.

    `vars(package)` and `package.__dict__` then hold what `dir(package)` lists.
    """

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        space = names_so_far(self)
        if not space.get("_is_filled"):
            space["_is_filled"] = True  # before the names are loaded, which asks for this again
            for name in space["__dir__"]():
                getattr(self, name, None)
        return space

    def __dir__(self) -> list[str]:
        return names_so_far(self)["__dir__"]()  # Python's own would ask for __dict__ first


def missing(module: str, name: str, frame: Any = None) -> Exception:
    """The error for a name that a module of ours lacks; a user's line gets help with it."""
    frame = frame or sys._getframe(2)
    if name.startswith("__") or source.is_library(frame.f_code.co_filename):
        return AttributeError(f"module {module!r} has no attribute {name!r}", name=name)
    help_ = importlib.import_module("chainrule.run.missing")
    return help_.missing_error(sys.modules[module], name, frame)


def names_so_far(module: ModuleType) -> dict[str, Any]:
    """The names that a module has now, without loading others."""
    return vars(ModuleType)["__dict__"].__get__(module)
