"""Imports of modules that have no file, only rows in the table."""

from __future__ import annotations

import functools
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


class StandInFinder:
    """Asked last, when no file of the package answers to a name."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        head, _, module = fullname.partition(".")
        if head != "chainrule" or not module:
            return None
        from .table import by_module, packages

        if module not in by_module():
            return None
        loader: Any = _FromTable()
        return ModuleSpec(fullname, loader, is_package=module in packages())


class _FromTable:
    """Fills a module from its rows."""

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        from ..autograd.packages import KeepsFunctions
        from .table import heading

        module.__class__ = KeepsFunctions
        inside = module.__name__.partition(".")[2]
        module.__doc__ = heading(inside)
        found = _members(inside)
        vars(module).update(found)
        vars(module)["__getattr__"] = functools.partial(member, inside)
        vars(module)["__all__"] = [name for name in found if not name.startswith("_")]


def install() -> None:
    """Ask the table after all other finders."""
    if not any(isinstance(finder, StandInFinder) for finder in sys.meta_path):
        finder: Any = StandInFinder()
        sys.meta_path.append(finder)


def member(module: str, name: str) -> Any:
    """What the table has for a name of a module: an object, a submodule, or an AttributeError."""
    import importlib

    from .table import by_module

    path = f"{module}.{name}" if module else name
    if path in by_module():
        return importlib.import_module(f"chainrule.{path}")
    if name in (found := _members(module)):
        return found[name]
    full = f"chainrule.{module}".rstrip(".")
    raise AttributeError(f"module {full!r} has no attribute {name!r}", name=name)


def rest_of(module: str) -> Any:
    """A `__getattr__` for a module with code of its own: the names that the table has for it."""
    return functools.partial(member, module.partition(".")[2])


@functools.cache
def _members(module: str) -> dict[str, Any]:
    from . import members_of

    return members_of(module)
