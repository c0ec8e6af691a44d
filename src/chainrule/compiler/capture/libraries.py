"""Libraries in sight of a function: settings that code names, clocks, whose code takes numbers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from ...autograd import source
from ...autograd.value import TensorBase
from . import unseen
from .hidden import note_ambient
from .sight import Place, dict_of
from .whose import home_of, is_foreign_code, is_foreign_module, is_own_code, is_own_module, is_users

_PLAIN_VALUES = (bool, int, float, str, bytes, complex, type(None), np.generic)
# Modules that treat whatever behaves as a number as one.
_PROTOCOLS_ONLY = {
    "abc", "ast", "bisect", "builtins", "cmath", "collections", "contextlib", "copy", "dataclasses",
    "enum", "fractions", "functools", "heapq", "itertools", "logging", "math", "numbers", "numpy",
    "operator", "re", "string", "struct", "types", "typing", "warnings", "weakref",
    "os", "sys", "contextvars", "threading", "__future__", "_weakref", "_functools", "_contextvars",
    "_thread", "_collections", "_operator",
}  # fmt: skip


_PACKAGE = __name__.partition(".")[0]
_ENTRY_POINTS = ("forward", "step", "__call__")


def _is_own(kind: type) -> bool:
    return source.is_own_name(home_of(kind))


def _is_put_there(item: Any) -> bool:
    """Whether something in a library's module is of the user's making, or a tensor."""
    if isinstance(item, FunctionType):
        return not is_foreign_code(item)
    return isinstance(item, TensorBase | tuple) or is_users(type(item))


class Libraries:
    """What a walk (`walk.py`) finds in modules that are not the user's."""

    def __init__(self, walk: Any) -> None:
        self._walk = walk
        self._modules: list[tuple[ModuleType, str]] = []
        self._takes_any_number = {*source.OWN_NAMES, *_PROTOCOLS_ONLY}
        self._has_modules = False
        self._ambient: set[str] = set()  # packages whose settings are guarded
        self._classes: set[type] = set()
        self._bases: set[type] = set()
        self._kinds: list[tuple[type, str]] = []

    def note(self, value: Any) -> None:
        """Whose code may be given numbers: not all of it takes a stand-in for one."""
        if isinstance(value, ModuleType | FunctionType | BuiltinFunctionType | type):
            module = value.__name__ if isinstance(value, ModuleType) else value.__module__
        else:
            module = home_of(type(value))
        top = module.partition(".")[0] if module and isinstance(module, str) else "builtins"
        if top in ("decimal", "numpy") and top not in self._ambient:
            self._ambient.add(top)
            note_ambient(self._walk, top)
        if top not in self._takes_any_number:
            found = sys.modules.get(top)
            if found is not None and is_foreign_module(found):
                self._walk.scan.library = self._walk.scan.library or top
            else:
                self._takes_any_number.add(top)

    def note_settings(self, function: FunctionType) -> None:
        """One of our own functions that tells a setting."""
        if is_own_code(function) and unseen.asks_settings(function):
            self._walk.note_unseen(f"torch.{function.__name__}()")

    def walk(self, module: ModuleType, path: str) -> None:
        """Settings that code names (`os.environ`, a flag), and clocks."""
        self._modules.append((module, path))
        for name in self._walk.scan.known_names & vars(module).keys():
            self._enter(module, path, name)

    def named(self, name: str) -> list[Callable[[], None]]:
        """What to enter when code names this."""
        found: list[Callable[[], None]] = [
            partial(self._enter, module, path, name)
            for module, path in self._modules
            if name in vars(module)
        ]
        return found + [partial(self._note_method, kind, path, name) for kind, path in self._kinds]

    def _enter(self, module: ModuleType, path: str, name: str) -> None:
        item = vars(module)[name]
        walk = self._walk
        if (module.__name__, name) == ("sys", "modules"):
            walk.note_unseen("sys.modules")
        elif isinstance(item, (*_PLAIN_VALUES, list, dict, set)) or unseen.is_setting(item):
            walk.enter(item, path, module, walk.attribute(name), name)
        elif (module.__name__, name) == ("os", "getenv"):
            walk.walk(vars(module)["environ"], walk.root(module.environ))
        elif unseen.is_clock(item) or (module.__name__, name) == ("numpy.random", "get_state"):
            walk.note_unseen(f"{module.__name__}.{name}()")
        elif isinstance(item, ModuleType) and is_foreign_module(item):
            walk.enter(item, path, module, walk.attribute(name), name)
        elif _is_put_there(item):
            walk.enter(item, path, module, walk.attribute(name), name)
        elif isinstance(item, FunctionType) and is_own_module(module):
            if unseen.asks_settings(item):
                walk.note_unseen(f"torch.{name}()")
        elif type(item).__module__ == "logging":  # logging.root
            walk.enter(item, path, module, walk.attribute(name), name)
        if not isinstance(item, (ModuleType, *_PLAIN_VALUES)):
            self._note_callable(module, path, name, item)

    def _note_callable(self, owner: Any, path: str, name: str, item: Any) -> None:
        """What a library has and somebody might replace; what is behind it is not looked at."""
        scan = self._walk.scan
        inside = f"{path}.__dict__"
        scan.places[inside] = Place(path, owner, ".__dict__", "__dict__", None)
        access = self._walk.item(name)
        where = f"{inside}{access}"
        scan.places[where] = Place(inside, dict_of(owner), access, None, None)
        scan.objects[where] = item

    def _note_method(self, kind: type, path: str, name: str) -> None:
        """A method of a class of ours, which may be replaced, or hidden in a derived class."""
        if name in vars(kind):
            self._note_callable(kind, path, name, vars(kind)[name])
        elif any(name in vars(base) for base in kind.__mro__):
            self._walk.scan.absent[path, name] = dict_of(kind)

    def note_class(self, kind: type) -> None:
        """One of our own classes (of a tensor, a layer, an optimizer): methods that code names."""
        if kind in self._classes:
            return
        self._classes.add(kind)
        for base in kind.__mro__:
            if base is not object and base not in self._bases and _is_own(base):
                self._bases.add(base)
                path = self._walk.root(base)
                self._kinds.append((base, path))
                for name in {*_ENTRY_POINTS} | self._walk.scan.known_names:
                    self._note_method(base, path, name)
        if hasattr(kind, "_forward_hooks") or hasattr(kind, "register_forward_hook"):
            self._note_global_hooks()

    def _note_global_hooks(self) -> None:
        """Hooks on all modules."""
        if not self._has_modules:
            self._has_modules = True
            fields = vars(sys.modules[f"{_PACKAGE}.nn.modules.module_hooks"])
            for name in [n for n in fields if n.startswith("_global_") and n.endswith("hooks")]:
                self._walk.walk(fields[name], self._walk.root(fields[name]))
