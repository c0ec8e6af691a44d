"""What a function can see: tensors, numbers, containers and objects reachable from it, with paths.

A path is Python source over a list of roots (`R[0].cell_contents["lr"]`): what lies there is
read by generated code (`guards.py`).  Attributes of the user's own objects count only if some code
that the function can reach names them: a trainer's history of losses is no setting of its step.

What holds state that no guard can read (an iterator, a clock) is `unseen`: with such a thing in
sight nothing is captured.
"""

from __future__ import annotations

import dis
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from enum import Enum
from functools import _lru_cache_wrapper, partial
from keyword import iskeyword
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any, NamedTuple
from weakref import ReferenceType

import numpy as np

from ..autograd import source
from ..autograd.value import TensorBase
from . import unseen
from .followed import same_number

_LIMIT = 200_000
_LARGEST_ARRAY = 1 << 24  # bytes of a NumPy array that are compared in every call
_ENGINE_LAYERS = ("ir", "ops", "autograd", "tensor", "compiler")
_PLAIN_VALUES = (bool, int, float, str, bytes, complex, type(None), np.generic)
_BUFFERS = (np.ndarray, bytearray, memoryview)
# Modules that treat whatever behaves as a number as one.
_PROTOCOLS_ONLY = {
    "abc", "ast", "bisect", "builtins", "cmath", "collections", "contextlib", "copy", "dataclasses",
    "enum", "fractions", "functools", "heapq", "itertools", "logging", "math", "numbers", "numpy",
    "operator", "re", "statistics", "string", "struct", "types", "typing", "warnings", "weakref",
    "os", "sys", "contextvars", "threading", "__future__", "_weakref", "_functools", "_contextvars",
    "_thread", "_collections", "_operator",
}  # fmt: skip
# Names that tell a stand-in for a number from the number.
_SEE_THROUGH = {"type", "id"}
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
_DESCRIPTORS = (property, staticmethod, classmethod)
_NEVER_CALLED = {"__init__", "__new__", "__repr__", "__del__", "__init_subclass__", "__reduce__"}


class Place(NamedTuple):
    """Where something was found: `owner` is the container's path, `access` how it is asked."""

    owner: str
    container: Any
    access: str
    key: Any  # of an item, or the name of an attribute

    def put(self, value: Any) -> None:
        """Put another value there."""
        if self.access.startswith("["):
            self.container[self.key] = value
        elif isinstance(self.container, type):
            setattr(self.container, self.key, value)
        else:
            object.__setattr__(self.container, self.key, value)

    def get(self) -> Any:
        """What is there now."""
        if self.access.startswith("["):
            return self.container[self.key]
        return getattr(self.container, self.key)


class TooLarge(Exception):
    """More objects are in sight than a guard could check."""


class Scan:
    """One walk over everything reachable from a function and the objects it is given."""

    def __init__(self, function: Callable[..., Any], arguments: Iterable[Any] = ()) -> None:
        self.roots: list[Any] = []
        self.keys: list[Any] = []
        self.tensors: dict[int, tuple[str, Any]] = {}  # id(tensor) -> (path, tensor)
        self.tensor_paths: dict[str, Any] = {}  # all of them: one tensor may be in several places
        self.values: dict[str, Any] = {}  # path -> bool, int, float, str or None
        self.sizes: dict[str, int] = {}  # path -> length of a list or dict
        self.sets: dict[str, frozenset[Any]] = {}
        self.arrays: dict[str, tuple[Any, bytes]] = {}  # path -> NumPy array, its contents
        self.objects: dict[str, Any] = {}  # path -> what must stay the same object
        self.places: dict[str, Place] = {}
        self.streams: list[Any] = []  # generators of random numbers that are not ours
        self.unseen: str | None = None  # what is in sight and cannot be guarded
        self.library: str | None = None  # whose code may not take stand-ins for numbers
        self._takes_any_number = {__name__.partition(".")[0], *_PROTOCOLS_ONLY}
        self._codes: list[Any] = []  # code that was reached
        self._names: set[str] = set()  # names in it
        self._all_names = False  # some code looks attributes up by computed names
        self._waiting: dict[str, list[Callable[[], None]]] = {}
        self._waiting_literally: dict[str, list[Callable[[], None]]] = {}
        self._libraries: list[tuple[ModuleType, str]] = []
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

    def _enter(self, value: Any, owner: str, container: Any, access: str, key: Any) -> None:
        """Walk into what a container holds."""
        path = owner + access
        self.places[path] = Place(owner, container, access, key)
        self._walk(value, path)

    def _walk(self, value: Any, path: str) -> None:
        if isinstance(value, _PLAIN_VALUES):
            self.values[path] = value
            return
        if isinstance(value, TensorBase):
            self.tensor_paths[path] = value
            if self.tensors.setdefault(id(value), (path, value))[0] == path and vars(value):
                self._walk_attributes(value, path)  # that the user gave it
            return
        self._note_library(value)
        if isinstance(value, ModuleType) and _is_foreign_module(value):
            if id(value) not in self._seen:
                self._seen.add(id(value))
                self._walk_library(value, path)
            return
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
            self._enter(value.__self__, path, value, ".__self__", "__self__")
            self._enter(value.__func__, path, value, ".__func__", "__func__")
        elif isinstance(value, partial):
            for name in ("func", "args", "keywords"):
                self._enter(getattr(value, name), path, value, f".{name}", name)
        elif isinstance(value, ModuleType):
            self._walk_named(vars(value), path, value)
        elif isinstance(value, type):
            self._walk_class(value, path)
        elif isinstance(value, list | tuple | deque):
            if not isinstance(value, tuple):
                self.sizes[path] = len(value)
            for i, item in enumerate(value):
                self._enter(item, path, value, f"[{i}]", i)
        elif isinstance(value, dict | MappingProxyType):
            self._walk_dict(value, path)
        elif isinstance(value, set | frozenset):
            self.sets[path] = frozenset(value)
        elif isinstance(value, _BUFFERS):
            self._walk_buffer(value, path)
        elif isinstance(value, ReferenceType):
            self._walk_answer(value(), path, value, "()")
        elif isinstance(value, ContextVar):
            self._walk_answer(value.get(None), path, value, ".get(None)")
        elif isinstance(value, _lru_cache_wrapper):
            self._walk_cache(value, path)
        elif isinstance(value, Enum) or _is_engine(type(value)):
            for name in ("function", "_orig_mod"):  # what is compiled by itself
                if name in getattr(value, "__dict__", ()):
                    self._enter(vars(value)[name], path, value, f".{name}", name)
        else:
            self._walk_other(value, path)
        if isinstance(value, list | dict | tuple | set | deque) and _is_users(type(value)):
            self._walk_object(value, path)  # a subclass has attributes and methods too

    def _walk_dict(self, value: Mapping[Any, Any], path: str) -> None:
        self.sizes[path] = len(value)
        for key, item in list(value.items()):
            access = self._item(key)
            if not isinstance(key, _PLAIN_VALUES):  # tensors are keys of optimizer state
                self._walk(key, f"K[{len(self.keys) - 1}]")
            self._enter(item, path, value, access, key)

    # How places are asked becomes source text. What a user named is part of it only where it can
    # be nothing but a literal or a name; anything else travels as data.

    def _item(self, key: Any) -> str:
        """`[key]`, as source."""
        return f"[{key!r}]" if type(key) in (str, int) else f"[{self._key(key)}]"

    def _attribute(self, name: Any) -> str:
        """`.name`, as source."""
        if type(name) is str and name.isidentifier() and not iskeyword(name):
            return f".{name}"
        return f".__getattribute__({self._key(name)})"

    def _key(self, key: Any) -> str:
        self.keys.append(key)
        return f"K[{len(self.keys) - 1}]"

    def _walk_buffer(self, value: Any, path: str) -> None:
        """Bytes that anybody may write."""
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            self._note_unseen("an array of Python objects")
        elif memoryview(value).nbytes > _LARGEST_ARRAY:
            self._note_unseen(f"an array of more than {_LARGEST_ARRAY >> 20} MB")
        else:
            self.arrays[path] = (value, contents_of(value))

    def _walk_answer(self, value: Any, path: str, container: Any, access: str) -> None:
        """What an object gives when it is asked: a weak reference, a context variable."""
        self._enter(value, path, container, access, None)

    def _walk_cache(self, value: Any, path: str) -> None:
        """A function that remembers results: nobody knows what it read when it computed them."""
        wrapped = value.__wrapped__
        if isinstance(wrapped, FunctionType) and _reads_state(wrapped):
            self._note_unseen(f"{wrapped.__name__}(), which remembers what it read before,")
        self._enter(wrapped, path, value, ".__wrapped__", "__wrapped__")

    def _walk_other(self, value: Any, path: str) -> None:
        if unseen.is_stream(value):
            self.streams.append(value)
            return
        reason = unseen.why(value)
        if reason is not None:
            self._note_unseen(reason)
            return
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, ModuleType | type):  # a method in C: d.get
            self._enter(owner, path, value, ".__self__", "__self__")
        if unseen.is_buffer(value):
            self._walk_buffer(value, path)
        if hasattr(value, "__dict__") or _is_users(type(value)):
            self._walk_object(value, path)
        if not unseen.is_written_in_python(type(value)):
            self._walk_attributes(value, path)

    def _walk_attributes(self, value: Any, path: str) -> None:
        """Attributes of a tensor, or of an object without a dictionary, by the names in code."""
        for name in vars(value) if isinstance(value, TensorBase) else _shown_by(value):
            if name.isidentifier() and not name.startswith("__"):
                self._when_named(name, partial(self._enter_attribute, value, path, name))

    def _enter_attribute(self, value: Any, path: str, name: str) -> None:
        try:
            item = getattr(value, name)
        except Exception:
            return
        if isinstance(item, (*_PLAIN_VALUES, list, dict, tuple, set, TensorBase)):
            self._enter(item, path, value, self._attribute(name), name)

    def _note_library(self, value: Any) -> None:
        """Whose code may be given numbers: not all of it takes a stand-in for one."""
        if isinstance(value, ModuleType | FunctionType | BuiltinFunctionType | type):
            module = value.__name__ if isinstance(value, ModuleType) else value.__module__
        else:
            module = type(value).__module__
        top = (module or "builtins").partition(".")[0]
        if top not in self._takes_any_number:
            found = sys.modules.get(top)
            if found is not None and _is_foreign_module(found):
                self.library = self.library or top
            else:
                self._takes_any_number.add(top)

    def _note_unseen(self, what: str) -> None:
        self.unseen = self.unseen or what

    # ---- objects and classes ---------------------------------------------------------------------

    def _walk_object(self, value: Any, path: str) -> None:
        kind = type(value)
        own = _is_users(kind)
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict):
            inside = f"{path}.__dict__"
            self.places[inside] = Place(path, value, ".__dict__", "__dict__")
            if own and _only_bases_of_users(kind):
                self._walk_fields(fields, inside)
            else:
                self.sizes[inside] = len(fields)
                for name, item in list(fields.items()):
                    if name not in _BOOKKEEPING:
                        self._enter(item, inside, fields, self._item(name), name)
        if own:
            self._walk_slots(value, path)
            self._walk_class(kind, self._root(kind))

    def _walk_fields(self, fields: dict[str, Any], path: str) -> None:
        """Attributes of a user's object: those that code names, now or when it gets there."""
        for name, item in list(fields.items()):
            if name in _BOOKKEEPING:
                continue
            enter = partial(self._enter, item, path, fields, self._item(name), name)
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
                    enter = partial(self._enter, item, path, value, self._attribute(name), name)
                    self._when_named(name, enter)

    def _walk_class(self, kind: type, path: str) -> None:
        if not _is_users(kind):
            for name in unseen.CLOCK_METHODS.get(kind.__module__, ()):
                enter = partial(self._note_unseen, f"{kind.__name__}.{name}()")
                self._when_named(name, enter, literally=True)
            return
        if type(kind) is not type and _is_users(type(kind)):  # attributes of a metaclass
            self._walk(type(kind), self._root(type(kind)))
        for base in kind.__mro__:
            if _is_users(base):
                where = path if base is kind else self._root(base)
                self._seen.add(id(base))
                self._walk_named(vars(base), where, base)

    def _walk_library(self, module: ModuleType, path: str) -> None:
        """Settings of a library that code names (`os.environ`, a flag), and clocks."""
        self._libraries.append((module, path))
        for name in self._names & vars(module).keys():
            self._enter_library(module, path, name)

    def _enter_library(self, module: ModuleType, path: str, name: str) -> None:
        item = vars(module)[name]
        if (module.__name__, name) == ("sys", "modules"):
            self._note_unseen("sys.modules")
        elif isinstance(item, (*_PLAIN_VALUES, list, dict, set)) or unseen.is_setting(item):
            self._enter(item, path, module, self._attribute(name), name)
        elif (module.__name__, name) == ("os", "getenv"):
            self._walk(vars(module)["environ"], self._root(module.environ))
        elif unseen.is_clock(item):
            self._note_unseen(f"{module.__name__}.{name}()")
        elif isinstance(item, FunctionType) and _is_own(module) and unseen.asks_settings(item):
            self._note_unseen(f"torch.{name}()")

    def _walk_named(self, fields: Any, path: str, owner: Any) -> None:
        """Members of a class or of a user's file, if code names them."""
        for name, item in list(fields.items()):
            if not isinstance(name, str) or not name.isidentifier():
                continue  # no code names it
            if isinstance(item, property):
                item = item.fget
            elif isinstance(item, staticmethod | classmethod):
                item = item.__func__
            elif isinstance(item, (*_PLAIN_VALUES, FunctionType, list, tuple, dict, set)):
                enter = partial(self._enter, item, path, owner, self._attribute(name), name)
                self._when_named(name, enter, isinstance(item, FunctionType))
                continue
            elif name.startswith("__"):
                continue  # descriptors that every class has
            elif isinstance(owner, ModuleType) or not isinstance(item, _DESCRIPTORS):
                enter = partial(self._enter, item, path, owner, self._attribute(name), name)
                self._when_named(name, enter)
                continue
            if isinstance(item, FunctionType):
                self._when_named(name, partial(self._walk, item, self._root(item)))

    def _when_named(
        self,
        name: str,
        enter: Callable[[], None],
        callable_: bool = False,
        literally: bool = False,
    ) -> None:
        """Enter what has a name now, or when code is met that names it.

        Computed names may be any, except where they are looked for `literally`: in a library.
        """
        special = callable_ and name.startswith("__") and name not in _NEVER_CALLED
        entry_point = callable_ and name in ("forward", "step")
        any_name = self._all_names and not literally
        if special or entry_point or any_name or name in self._names:
            self._ready.append(enter)
        else:
            waiting = self._waiting_literally if literally else self._waiting
            waiting.setdefault(name, []).append(enter)

    # ---- code ------------------------------------------------------------------------------------

    def _walk_function(self, function: FunctionType, path: str) -> None:
        if _is_foreign_code(function):
            if source.is_library(function.__code__.co_filename) and unseen.asks_settings(function):
                self._note_unseen(f"torch.{function.__name__}()")
            # Wrappers (`no_grad`, a library's decorator) hold the user's function.
            for cell in function.__closure__ or ():
                content = _content(cell)
                if callable(content) and not isinstance(content, type):
                    self._walk(content, self._root(content))
            return
        self._learn_names(function.__code__)
        for cell in function.__closure__ or ():
            content = _content(cell)
            if content is _EMPTY:
                continue
            self._enter(content, self._root(cell), cell, ".cell_contents", "cell_contents")
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(function, name) is not None:
                self._enter(getattr(function, name), path, function, f".{name}", name)
        if vars(function):  # attributes of the function itself
            self._walk_object(function, path)
        scope = None
        names = _names(function.__code__)
        if "globals" in names:  # any of them, by a computed name
            names |= {n for n in function.__globals__ if isinstance(n, str)}
        for name in sorted(names):
            if name in function.__globals__:
                scope = scope or self._root(function.__globals__)
                content = function.__globals__[name]
                self._enter(content, scope, function.__globals__, self._item(name), name)
            elif name in sys.modules:  # imported inside of the function
                self._walk(sys.modules[name], self._root(sys.modules[name]))

    def _learn_names(self, code: Any) -> None:
        self._codes.append(code)
        found = _names(code) | _words(code)
        for name in found & unseen.LOOKS_OUTSIDE:
            if _loads_any(code, {name}):
                self._note_unseen(f"{name}()")
        if found & _LOOKUPS_BY_NAME:
            self._all_names = True
            for entries in self._waiting.values():
                self._ready += entries
            self._waiting.clear()
        for name in found - self._names:
            self._names.add(name)
            self._ready += self._waiting.pop(name, ())
            self._ready += self._waiting_literally.pop(name, ())
            for module, path in self._libraries:
                if name in vars(module):
                    self._ready.append(partial(self._enter_library, module, path, name))

    # ---- using paths -----------------------------------------------------------------------------

    def names(self, name: str) -> bool:
        """Whether code that was reached names something so."""
        return name in self._names

    def sees_through(self) -> bool:
        """Whether code that was reached may call what tells a stand-in from a number."""
        return self.library is not None or (
            bool(_SEE_THROUGH & self._names)
            and any(_loads_any(code, _SEE_THROUGH) for code in self._codes)
        )

    def difference(self, other: Scan, followed: set[str]) -> tuple[list[str], str]:
        """Paths of numbers that differ, and in words what else does; empty where nothing does."""
        numbers = []
        for path, value in self.values.items():
            if path in followed:
                continue
            if path not in other.values:
                return [], f"{self.describe(path)} is there in one call and not in another"
            if not same_number(value, other.values[path]):
                numbers.append(path)
        if len(self.values) != len(other.values):
            return [], "what the function can see differs"
        for mine, theirs, what in (
            (self.sizes, other.sizes, "the length of {}"), (self.sets, other.sets, "{}"),
        ):  # fmt: skip
            for path, size in mine.items():
                if theirs.get(path) != size:
                    words = what.format(self.describe(path))
                    return numbers, f"{words}: {size} -> {theirs.get(path)}"
        for path, (_, contents) in self.arrays.items():
            if path not in other.arrays or other.arrays[path][1] != contents:
                return numbers, f"the contents of {self.describe(path)} changed"
        for path, tensor in self.tensor_paths.items():
            if other.tensor_paths.get(path) is not tensor:
                return numbers, f"{self.describe(path)} is another tensor; pass it as an argument"
        for path, thing in self.objects.items():
            now = other.objects.get(path)
            if now is not thing and not interchangeable(thing, now):
                return numbers, f"{self.describe(path)} is another object in every call"
        return numbers, ""

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


def _shown_by(value: Any) -> set[str]:
    """Names of what an object made in C shows besides its dictionary."""
    return {*dir(type(value))} - {*getattr(value, "__dict__", ())}


def contents_of(buffer: Any) -> bytes:
    """The bytes of an array, with its type and shape."""
    if not isinstance(buffer, np.ndarray):
        buffer = memoryview(buffer)
        return f"{buffer.format}{buffer.shape}".encode() + buffer.tobytes()
    return f"{buffer.dtype.str}{buffer.shape}".encode() + buffer.tobytes()


def _reads_state(function: FunctionType) -> bool:
    """Whether a function reads more than its arguments, other functions and classes."""
    named = (function.__globals__.get(n) for n in _names(function.__code__))
    known = (type(None), ModuleType, FunctionType, BuiltinFunctionType, type)
    return bool(function.__closure__) or not all(isinstance(x, known) for x in named)


_EMPTY = object()


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return _EMPTY


def _is_own(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] == __name__.partition(".")[0]


def interchangeable(a: Any, b: Any) -> bool:
    """Whether only what is in them matters, which is looked at by itself."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | dict | tuple | set | frozenset | deque | np.ndarray):
        return True
    return hasattr(a, "__dict__") and _is_users(type(a)) and not callable(a)


def _loads_any(code: Any, names: set[str]) -> bool:
    """Whether code loads one of these as a global: an attribute may be called so, too."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME") and instruction.argval in names:
            return True
    return any(_loads_any(c, names) for c in code.co_consts if hasattr(c, "co_names"))


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
