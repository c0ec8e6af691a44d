"""Libraries in sight of a function: settings that code names, clocks, whose code takes numbers."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from functools import partial
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ...autograd import source
from ...autograd.value import TensorBase
from . import unseen
from .code_names import names_in, words_in
from .hidden import note_ambient
from .sight import Place, dict_of
from .walk_tables import LOOKUPS_BY_NAME
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
# Methods that code runs without naming them.
_IMPLICIT = (
    "__bool__", "__len__", "__iter__", "__next__", "__contains__", "__float__", "__int__",
    "__index__", "__complex__", "__str__", "__repr__", "__format__", "__hash__", "__eq__",
    "__enter__", "__exit__", "__getattr__", "__getattribute__", "__missing__", "__round__",
)  # fmt: skip


def _is_own(kind: type) -> bool:
    return source.is_own_name(home_of(kind))


def _is_put_there(item: Any) -> bool:
    """Whether something in a library's module is of the user's making, or a tensor."""
    if isinstance(item, FunctionType):
        return not is_foreign_code(item)
    return isinstance(item, TensorBase | tuple) or is_users(type(item))


# Modules of the standard library that look at no attribute of what they are given by a name of
# their own choice.
_BYSTANDERS = {
    "_collections_abc", "_weakrefset", "abc", "bisect", "codecs", "collections", "contextlib",
    "enum", "fractions", "functools", "genericpath", "heapq", "inspect", "keyword", "linecache",
    "numbers", "os", "pathlib", "posixpath", "random", "re", "reprlib", "statistics", "threading",
    "tokenize", "types", "typing", "warnings", "weakref",
}  # fmt: skip
_FEW = 64  # items of a container of settings


def _is_settled(value: Any) -> bool:
    """Whether it is a setting: a plain value, or a small container of such."""
    if isinstance(value, dict):
        return len(value) <= _FEW and all(map(_is_settled, (*value, *value.values())))
    if isinstance(value, list | tuple | set | frozenset):
        return len(value) <= _FEW and all(map(_is_settled, value))
    return isinstance(value, _PLAIN_VALUES) or unseen.is_setting(value)


class Ran(NamedTuple):
    """Code of a library that ran in a traced call, and its globals."""

    code: CodeType
    space: dict[str, Any]

    def settings(self) -> list[str]:
        """Globals that it may have read and that somebody may set."""
        names = [n for n in self.code.co_names if n in self.space and not n.startswith("__")]
        return [n for n in names if _is_settled(self.space[n])]

    def settings_elsewhere(self) -> list[tuple[ModuleType, str]]:
        """The same in modules that it names: `os.environ` out of another module."""
        names = {n for n in self.code.co_names if not n.startswith("__")}
        modules = [self.space[n] for n in names if isinstance(self.space.get(n), ModuleType)]
        return [
            (module, name)
            for module in modules
            if not is_own_module(module)
            for name in names & vars(module).keys()
            if _is_settled(vars(module)[name])
        ]

    def names(self) -> set[str]:
        """Attributes that it may have asked the user's objects for."""
        top = self.space.get("__name__", "").partition(".")[0]
        if top in _BYSTANDERS:
            return set()
        found = names_in(self.code) | words_in(self.code)
        return found if top in sys.stdlib_module_names else found - LOOKUPS_BY_NAME

    def reads_anything(self) -> bool:
        """Whether it is to be looked at."""
        return bool(self.settings() or self.settings_elsewhere() or self.names())


@functools.cache
def _named_by_methods(layer: type) -> frozenset[str]:
    """What the methods of one of our own layers name; some keep a function's name in the class."""
    if layer.__name__ == "Module":
        return frozenset()
    items = vars(layer).values()
    named = [names_in(item.__code__) for item in items if isinstance(item, FunctionType)]
    return frozenset().union(*named, (item for item in items if isinstance(item, str)))


class Libraries:
    """What a walk (`walk.py`) finds in modules that are not the user's."""

    def __init__(self, walk: Any) -> None:
        self._walk = walk
        self._modules: list[tuple[ModuleType, str]] = []
        self._takes_any_number = {*source.OWN_NAMES, *_PROTOCOLS_ONLY}
        self._hooked: set[str] = set()  # modules whose hooks on everything are guarded
        self._ambient: set[str] = set()  # packages whose settings are guarded
        self._classes: set[type] = set()
        self._functions: set[str] = set()  # of nn.functional, that layers in sight may call
        self._bases: set[type] = set()
        self._kinds: list[tuple[type, str]] = []

    def note(self, value: Any) -> None:
        """Whose code may be given numbers: not all of it takes a stand-in for one."""
        if isinstance(value, ModuleType | FunctionType | BuiltinFunctionType | type):
            module = value.__name__ if isinstance(value, ModuleType) else value.__module__
        else:
            module = home_of(type(value))
        top = module.partition(".")[0] if module and isinstance(module, str) else "builtins"
        if top in ("decimal", "numpy", "warnings") and top not in self._ambient:
            self._ambient.add(top)
            note_ambient(self._walk, top)
        if top not in self._takes_any_number:
            found = sys.modules.get(top)
            if found is not None and is_foreign_module(found):
                self._walk.scan.library = self._walk.scan.library or top
            else:
                self._takes_any_number.add(top)

    def walk_code(self, ran: Ran) -> None:
        """What code of a library that ran may have read."""
        where = self._walk.root(ran.space)
        for name in ran.settings():
            self._walk.enter(ran.space[name], where, ran.space, self._walk.item(name), None)
        for module, name in ran.settings_elsewhere():
            where, access = self._walk.root(module), self._walk.attribute(name)
            self._walk.enter(vars(module)[name], where, module, access, name)
        self._walk.learn(ran.names())

    def note_settings(self, function: FunctionType) -> None:
        """One of our own functions that tells a setting."""
        if is_own_code(function) and unseen.asks_settings(function):
            self._walk.note_unseen(f"torch.{function.__name__}()")

    def walk(self, module: ModuleType, path: str) -> None:
        """Settings that code names (`os.environ`, a flag), and clocks."""
        self._modules.append((module, path))
        for name in self._walk.scan.known_names & dict_of(module).keys():
            self._enter(module, path, name)

    def named(self, name: str) -> list[Callable[[], None]]:
        """What to enter when code names this."""
        found: list[Callable[[], None]] = [
            partial(self._enter, module, path, name)
            for module, path in self._modules
            if name in dict_of(module)
        ]
        return found + [partial(self._note_method, kind, path, name) for kind, path in self._kinds]

    def _enter(self, module: ModuleType, path: str, name: str) -> None:
        item = dict_of(module)[name]
        walk = self._walk
        if (module.__name__, name) == ("sys", "modules"):
            walk.note_unseen("sys.modules")
        elif isinstance(item, (*_PLAIN_VALUES, list, dict, set)) or unseen.is_setting(item):
            walk.enter(item, path, module, walk.attribute(name), name)
        elif (module.__name__, name) == ("os", "getenv"):
            walk.walk(dict_of(module)["environ"], walk.root(module.environ))
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
        elif isinstance(item, MethodType) and not is_own_module(module):
            self._walk_owner(item.__self__)
        if not isinstance(item, (ModuleType, *_PLAIN_VALUES)):
            self._note_callable(module, path, name, item)

    def _walk_owner(self, thing: Any) -> None:
        """The object of which a library's function is a method: its settings (`calendar`)."""
        if not isinstance(thing, type | ModuleType) and hasattr(thing, "__dict__"):
            fields, where = vars(thing), self._walk.root(thing)
            for name in [n for n in fields if _is_settled(fields[n])]:
                access = self._walk.attribute(name)
                self._walk.enter(fields[name], where, thing, access, name)

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
        """A library's class, or ours (of a tensor, a layer, an optimizer): methods in use."""
        if kind in self._classes:
            return
        self._classes.add(kind)
        for base in kind.__mro__:
            if base is object or base in self._bases or is_users(base):
                continue
            own = _is_own(base)
            if own or unseen.is_written_in_python(base):
                self._bases.add(base)
                path = self._walk.root(base)
                self._kinds.append((base, path))
                unnamed = _ENTRY_POINTS if own else (*_ENTRY_POINTS, *_IMPLICIT)
                for name in {*unnamed} | self._walk.scan.known_names:
                    self._note_method(base, path, name)
        if hasattr(kind, "_forward_hooks") or hasattr(kind, "register_forward_hook"):
            self._note_global_hooks("nn.modules.module_hooks")
            self._note_functions(kind)
        elif hasattr(kind, "register_step_pre_hook"):
            self._note_global_hooks("optim.optimizer")

    def _note_functions(self, kind: type) -> None:
        """Functions of `nn.functional`, of which layers call what is there when they run."""
        names = {n for base in kind.__mro__ if _is_own(base) for n in _named_by_methods(base)}
        functions = sys.modules[f"{_PACKAGE}.nn.functional"]
        for name in sorted((names & vars(functions).keys()) - self._functions):
            if callable(vars(functions)[name]):
                self._functions.add(name)
                path = self._walk.root(functions)
                self._note_callable(functions, path, name, vars(functions)[name])

    def _note_global_hooks(self, module: str) -> None:
        """Hooks on all modules, or on all optimizers."""
        if module not in self._hooked:
            self._hooked.add(module)
            fields = vars(sys.modules[f"{_PACKAGE}.{module}"])
            for name in [n for n in fields if n.startswith("_global_") and n.endswith("hooks")]:
                self._walk.walk(fields[name], self._walk.root(fields[name]))
