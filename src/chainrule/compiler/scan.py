"""What a function can see: tensors, numbers, containers and objects reachable from it, with paths.

A path is Python source over a list of roots (`R[0].cell_contents["lr"]`): what lies there is
read by generated code (`guards.py`).  Attributes of the user's own objects count only if some code
that the function can reach names them: a trainer's history of losses is no setting of its step.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ..autograd import source
from ..autograd.value import TensorBase

_LIMIT = 200_000
_LONGEST = 10_000  # longer containers are data, not settings
_LARGEST_ARRAY = 4096  # bytes of a NumPy array that are compared in every call
_ENGINE_LAYERS = ("ir", "ops", "autograd", "tensor", "compiler")
_PLAIN_VALUES = (bool, int, float, str, complex, type(None), np.generic)
_LOOKUPS_BY_NAME = {"getattr", "vars", "__dict__", "hasattr", "setattr", "locals", "dir"}
# Fields of modules that change nothing about a call.
_BOOKKEEPING = {
    "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks_with_kwargs", "_non_persistent_buffers_set", "_is_full_backward_hook",
    "_optimizer_state_dict_pre_hooks", "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks",
}  # fmt: skip
_USED_BY_MODULE = {
    "training", "_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks",
    "_backward_hooks", "_backward_pre_hooks",
}  # fmt: skip
_NEVER_CALLED = {"__init__", "__new__", "__repr__", "__del__", "__init_subclass__", "__reduce__"}


class Place(NamedTuple):
    """Where something was found: `owner` is the container's path, `access` how it is asked."""

    owner: str
    container: Any
    access: str


class TooLarge(Exception):
    """More objects are in sight than a guard could check."""


class Scan:
    """One walk over everything reachable from a function and the objects it is given."""

    def __init__(self, function: Callable[..., Any], arguments: Iterable[Any] = ()) -> None:
        self.roots: list[Any] = []
        self.keys: list[Any] = []
        self.tensors: dict[int, tuple[str, Any]] = {}  # id(tensor) -> (path, tensor)
        self.values: dict[str, Any] = {}  # path -> bool, int, float, str or None
        self.sizes: dict[str, int] = {}  # path -> length of a list or dict
        self.sets: dict[str, frozenset[Any]] = {}
        self.arrays: dict[str, tuple[Any, bytes]] = {}  # path -> NumPy array, its contents
        self.objects: dict[str, Any] = {}  # path -> what must stay the same object
        self.places: dict[str, Place] = {}
        self.internal: set[str] = set()  # paths of a library object's own values
        self._names: set[str] = set()  # names in code that was reached
        self._all_names = False  # some code looks attributes up by computed names
        self._waiting: dict[str, list[Callable[[], None]]] = {}
        self._ready: list[Callable[[], None]] = []
        self._seen: set[int] = set()
        self._walk(function, self._root(function))
        for argument in arguments:
            self._walk(argument, self._root(argument))
        while self._ready:
            self._ready.pop()()

    # ---- walking ---------------------------------------------------------------------------------

    def _root(self, value: Any) -> str:
        self.roots.append(value)
        return f"R[{len(self.roots) - 1}]"

    def _enter(self, value: Any, owner: str, container: Any, access: str) -> None:
        """Walk into what a container holds."""
        path = owner + access
        self.places[path] = Place(owner, container, access)
        self._walk(value, path)

    def _walk(self, value: Any, path: str) -> None:
        if isinstance(value, _PLAIN_VALUES):
            self.values[path] = value
            return
        if isinstance(value, TensorBase):
            self.tensors.setdefault(id(value), (path, value))
            return
        if isinstance(value, ModuleType) and _is_foreign_module(value):
            return  # what a library is called
        self.objects.setdefault(path, value)
        if id(value) in self._seen:
            return
        if len(self._seen) > _LIMIT:
            raise TooLarge(f"more than {_LIMIT} objects are in sight of the function")
        self._seen.add(id(value))
        self._walk_into(value, path)

    def _walk_into(self, value: Any, path: str) -> None:
        if isinstance(value, FunctionType):
            self._walk_function(value, path)
        elif isinstance(value, MethodType):
            self._enter(value.__self__, path, value, ".__self__")
            self._enter(value.__func__, path, value, ".__func__")
        elif isinstance(value, partial):
            for name in ("func", "args", "keywords"):
                self._enter(getattr(value, name), path, value, f".{name}")
        elif isinstance(value, ModuleType):
            self._walk_named(vars(value), path, value, ".{}")
        elif isinstance(value, type):
            self._walk_class(value, path)
        elif isinstance(value, list | tuple):
            self._walk_list(value, path)
        elif isinstance(value, dict):
            self._walk_dict(value, path)
        elif isinstance(value, set | frozenset):
            if len(value) <= _LONGEST:
                self.sets[path] = frozenset(value)
        elif isinstance(value, np.ndarray):
            if value.nbytes <= _LARGEST_ARRAY and not value.dtype.hasobject:
                self.arrays[path] = (value, value.tobytes())
        elif not isinstance(value, Enum) and not _is_engine(type(value)):
            self._walk_object(value, path)

    def _walk_list(self, value: Any, path: str) -> None:
        if len(value) > _LONGEST:
            return
        if isinstance(value, list):
            self.sizes[path] = len(value)
        for i, item in enumerate(value):
            self._enter(item, path, value, f"[{i}]")

    def _walk_dict(self, value: dict[Any, Any], path: str) -> None:
        if len(value) > _LONGEST:
            return
        self.sizes[path] = len(value)
        for key, item in list(value.items()):
            if type(key) in (str, int):
                access = f"[{key!r}]"
            else:  # tensors are keys of optimizer state
                self.keys.append(key)
                access = f"[K[{len(self.keys) - 1}]]"
                if not isinstance(key, _PLAIN_VALUES):
                    self._walk(key, f"K[{len(self.keys) - 1}]")
            self._enter(item, path, value, access)

    # ---- objects and classes ---------------------------------------------------------------------

    def _walk_object(self, value: Any, path: str) -> None:
        kind = type(value)
        own = _is_users(kind)
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict):
            inside = f"{path}.__dict__"
            self.places[inside] = Place(path, value, ".__dict__")
            if own and _only_bases_of_users(kind):
                self._walk_fields(fields, inside)
            else:
                self.sizes[inside] = len(fields)
                for name, item in list(fields.items()):
                    if name not in _BOOKKEEPING:
                        self._enter(item, inside, fields, f"[{name!r}]")
                        self.internal.add(f"{inside}[{name!r}]")
        if own:
            self._walk_slots(value, path)
            self._walk_class(kind, self._root(kind))

    def _walk_fields(self, fields: dict[str, Any], path: str) -> None:
        """Attributes of a user's object: those that code names, now or when it gets there."""
        for name, item in list(fields.items()):
            if name in _BOOKKEEPING:
                continue
            enter = partial(self._enter, item, path, fields, f"[{name!r}]")
            if name in _USED_BY_MODULE:
                enter()
            else:
                self._when_named(name, enter)
        # An attribute that appears hides one of the class, or ends an AttributeError.
        self.sizes[path] = len(fields)

    def _walk_slots(self, value: Any, path: str) -> None:
        for base in type(value).__mro__:
            slots = vars(base).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                    item = getattr(value, name)
                    self._when_named(name, partial(self._enter, item, path, value, f".{name}"))

    def _walk_class(self, kind: type, path: str) -> None:
        if not _is_users(kind):
            return
        for base in kind.__mro__:
            if _is_users(base):
                where = path if base is kind else self._root(base)
                self._seen.add(id(base))
                self._walk_named(vars(base), where, base, ".{}")

    def _walk_named(self, fields: Any, path: str, owner: Any, access: str) -> None:
        """Members of a class or of a user's file, if code names them."""
        for name, item in list(fields.items()):
            if isinstance(item, property):
                item = item.fget
            elif isinstance(item, staticmethod | classmethod):
                item = item.__func__
            elif isinstance(item, (*_PLAIN_VALUES, FunctionType, list, tuple, dict, set)):
                enter = partial(self._enter, item, path, owner, access.format(name))
                self._when_named(name, enter, isinstance(item, FunctionType))
                continue
            elif isinstance(owner, ModuleType):
                self._when_named(name, partial(self._enter, item, path, owner, f".{name}"))
                continue
            if isinstance(item, FunctionType):
                self._when_named(name, partial(self._walk, item, self._root(item)))

    def _when_named(self, name: str, enter: Callable[[], None], callable_: bool = False) -> None:
        special = callable_ and name.startswith("__") and name not in _NEVER_CALLED
        entry_point = callable_ and name in ("forward", "step")
        if special or entry_point or self._all_names or name in self._names:
            self._ready.append(enter)
        else:
            self._waiting.setdefault(name, []).append(enter)

    # ---- code ------------------------------------------------------------------------------------

    def _walk_function(self, function: FunctionType, path: str) -> None:
        if _is_foreign_code(function):
            if not source.is_library(function.__code__.co_filename):
                return
            # Wrappers of ours (`no_grad`) hold the user's function.
            for cell in function.__closure__ or ():
                if isinstance(cell.cell_contents, FunctionType | MethodType):
                    self._walk(cell.cell_contents, self._root(cell.cell_contents))
            return
        self._learn_names(function.__code__)
        for cell in function.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:  # not filled yet
                continue
            self._enter(content, self._root(cell), cell, ".cell_contents")
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(function, name) is not None:
                self._enter(getattr(function, name), path, function, f".{name}")
        scope = None
        for name in sorted(_names(function.__code__)):
            if name in function.__globals__:
                scope = scope or self._root(function.__globals__)
                content = function.__globals__[name]
                self._enter(content, scope, function.__globals__, f"[{name!r}]")

    def _learn_names(self, code: Any) -> None:
        found = _names(code) | _words(code)
        if found & _LOOKUPS_BY_NAME:
            self._all_names = True
            for entries in self._waiting.values():
                self._ready += entries
            self._waiting.clear()
        for name in found - self._names:
            self._names.add(name)
            self._ready += self._waiting.pop(name, ())

    # ---- using paths -----------------------------------------------------------------------------

    def reader(self, expressions: list[str]) -> Callable[[], tuple[Any, ...]]:
        """A function that reads these paths; it raises when one no longer exists."""
        inside = "".join(f"{e}, " for e in expressions)
        code = f"def read():\n    return ({inside})"
        space: dict[str, Any] = {"R": self.roots, "K": self.keys}
        exec(compile(code, "<chainrule guard>", "exec"), space)
        return space["read"]

    def describe(self, path: str) -> str:
        """A path as a user would write it."""
        if path.startswith("R[") and path.endswith(".cell_contents"):
            return "a variable of the enclosing function"
        if "].__dict__[" in path:
            return "." + path.rsplit(".__dict__[", 1)[1].rstrip("]").strip("'\"")
        return path.rsplit("[", 1)[-1].rstrip("]").strip("'\"")


def _names(code: Any) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            names |= _names(constant)
    return names


def _words(code: Any) -> set[str]:
    """Strings in code that may be names of attributes."""
    words = set()
    for constant in code.co_consts:
        if isinstance(constant, str) and constant.isidentifier():
            words.add(constant)
        elif hasattr(constant, "co_consts"):
            words |= _words(constant)
    return words


def _is_foreign_code(function: FunctionType) -> bool:
    """Whether a function is our own or a library's: what it sees is not the user's state."""
    return _is_foreign_file(function.__code__.co_filename)


def _is_foreign_file(name: str) -> bool:
    if source.is_library(name):
        return True
    return "site-packages" in name or "dist-packages" in name or name.startswith(_STANDARD)


_STANDARD = tuple({str(sys.modules[m].__file__).rsplit("/", 1)[0] + "/" for m in ("enum", "types")})


def _is_foreign_module(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    if file is None:  # built in, unless somebody made it by hand
        return module.__name__ in sys.builtin_module_names or module.__spec__ is not None
    return _is_foreign_file(file)


def _is_users(kind: type) -> bool:
    """Whether a class was written by the user: its methods and constants may be settings."""
    module = sys.modules.get(kind.__module__)
    if module is None:
        return True  # run from text
    return kind.__module__ not in sys.builtin_module_names and not _is_foreign_module(module)


def _only_bases_of_users(kind: type) -> bool:
    """Whether no library's methods read the attributes, except those of `Module` itself."""
    package = __name__.split(".")[0]
    for base in kind.__mro__:
        if not _is_users(base) and base is not object:
            of_module = base.__module__.startswith(f"{package}.nn.modules.module")
            if not of_module and base.__name__ not in ("Generic", "Protocol", "ABC"):
                return False
    return True


def _is_engine(kind: type) -> bool:
    """Whether an object belongs to the layers below the libraries (a dtype, an op, a mode)."""
    package, _, rest = kind.__module__.partition(".")
    return package == __name__.split(".")[0] and rest.split(".")[0] in _ENGINE_LAYERS
