"""The walk over all that a function can see, which fills a `Scan`.

What code names decides how far it goes: attributes of the user's own objects count only if some
code that the function can reach names them.
"""

from __future__ import annotations

import gc
import operator
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from enum import Enum, EnumMeta
from functools import _lru_cache_wrapper, cached_property, partial
from keyword import iskeyword
from threading import Lock, RLock, local
from types import FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any
from weakref import ReferenceType

import numpy as np

from ...autograd.source import is_own_name
from ...autograd.value import PLAIN, TensorBase
from . import hidden, unseen
from .code_names import (
    asks_by_position,
    codes_in,
    compares_identity,
    fields_in,
    globals_in,
    makes_long_integers,
    names_in,
    operators_in,
    words_in,
)
from .libraries import Libraries, Ran
from .pieces import DICT_VIEWS, EMPTY, content_of, items_of, shown_by, strings
from .pure import reads_state
from .sight import UNSET, Place, Scan, TooLarge, contents_of, dict_of
from .walk_tables import (
    ASKS_FOR_ATTRIBUTES,
    BOOKKEEPING,
    ENTRY_POINTS,
    LOOKUPS_BY_NAME,
    NEVER_CALLED,
    UNORDERED,
    USED_BY_MODULE,
)
from .whose import (
    has_only_bases_of_users,
    home_of,
    is_engine,
    is_foreign_code,
    is_foreign_module,
    is_own_code,
    is_unguarded,
    is_users,
)

_LIMIT = 200_000
_LARGEST_ARRAY = 1 << 24  # bytes of a NumPy array that are compared in every call
_PLAIN_VALUES = (bool, int, float, str, bytes, complex, type(None), np.generic)
_BUFFERS = (np.ndarray, bytearray, memoryview)
_LOCKS = (type(Lock()), type(RLock()))
_CONVERSIONS = {"__float__", "__int__", "__index__", "__complex__", "__hash__", "__sizeof__"}
_LONG_INTEGER = 2_000  # bits; Python refuses to write longer ones, if told so
# Of enumerations and named tuples, which methods of theirs read.
_UNNAMED_MEMBERS = {"_member_names_", "__new__"}
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: an object may get another class


def walk(
    function: Callable[..., Any], arguments: Iterable[Any] = (), also: Iterable[Any] = ()
) -> Scan:
    """Everything reachable from a function, the objects it is given, and functions that it runs."""
    walking = _Walk(Scan())
    for value in (function, *arguments, *also):
        if isinstance(value, Ran):
            walking.libraries.walk_code(value)
        else:
            walking.walk(value, walking.root(value))
    for kind in PLAIN:
        walking.libraries.note_class(kind)
    walking.finish()
    scan = walking.scan
    vars(walking).clear()  # it refers to itself, and to what may not be kept alive
    return scan


class _Walk:
    """One walk; see the module's docstring."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self.libraries = Libraries(self)
        self._all_names = False  # some code looks attributes up by computed names
        self._waiting: dict[str, list[Callable[[], None]]] = {}
        self._waiting_literally: dict[str, list[Callable[[], None]]] = {}
        self._ready: list[Callable[[], None]] = []
        self._weak: list[tuple[Any, str, Any]] = []
        self._seen: set[int] = set()

    def finish(self) -> None:
        """Walk into what was found to be named."""
        while self._ready:
            self._ready.pop()()
        for thing, path, reference in self._weak:
            if thing is not None and id(thing) not in self._seen | self.scan.tensors.keys():
                # A guard that holds it would keep it alive.
                self.note_unseen("a weak reference to something that nothing else in sight holds")
            else:
                self.enter(thing, path, reference, "()", None)
        while self._ready:
            self._ready.pop()()

    # ---- walking ---------------------------------------------------------------------------------

    def root(self, value: Any) -> str:
        """A path of its own."""
        self.scan.roots.append(value)
        return f"R[{len(self.scan.roots) - 1}]"

    def key(self, value: Any) -> str:
        """A path for something that is no item but is held: a key, a member of a set."""
        self.scan.keys.append(value)
        return f"K[{len(self.scan.keys) - 1}]"

    # How places are asked becomes source text. What a user named is part of it only where it can
    # be nothing but a literal or a name; anything else travels as data.

    def item(self, key: Any) -> str:
        """`[key]`, as source."""
        return f"[{key!r}]" if type(key) in (str, int) else f"[{self.key(key)}]"

    def attribute(self, name: Any) -> str:
        """`.name`, as source."""
        if type(name) is str and name.isidentifier() and not iskeyword(name):
            return f".{name}"
        return f".__getattribute__({self.key(name)})"

    def enter(
        self, value: Any, owner: str, container: Any, access: str, key: Any, kind: Any = None
    ) -> None:
        """Walk into what a container holds."""
        path = owner + access
        self.scan.places[path] = Place(owner, container, access, key, kind)
        self.walk(value, path)

    def walk(self, value: Any, path: str) -> None:
        """Look at what lies at a path, and into it."""
        scan = self.scan
        if isinstance(value, _PLAIN_VALUES):
            scan.values[path] = value
            if isinstance(value, str) and "{" in value:
                self.learn(fields_in(value))
            elif type(value) is int and value.bit_length() > _LONG_INTEGER:
                hidden.note_digits(self)
            if is_users(type(value)) and id(value) not in self._seen:  # a number with attributes
                self._seen.add(id(value))
                scan.objects[path] = value
                self._walk_object(value, path)
            return
        if isinstance(value, TensorBase):
            scan.tensor_paths[path] = value
            if scan.tensors.setdefault(id(value), (path, value))[0] == path:
                if vars(value):
                    self._walk_attributes(value, path)  # that the user gave it
                for name in ASKS_FOR_ATTRIBUTES:  # one may appear
                    self.when_named(name, partial(self.note_inside, value, path), literally=True)
                if type(value) not in PLAIN and is_users(type(value)):
                    self.walk(type(value), self.root(type(value)))
            return
        self.libraries.note(value)
        if isinstance(value, ModuleType) and is_foreign_module(value):
            if id(value) not in self._seen:
                self._seen.add(id(value))
                self.libraries.walk(value, path)
            return
        scan.objects.setdefault(path, value)
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
            self.enter(value.__self__, path, value, ".__self__", "__self__")
            self.enter(value.__func__, path, value, ".__func__", "__func__")
        elif isinstance(value, partial):
            for name in ("func", "args", "keywords"):
                self.enter(getattr(value, name), path, value, f".{name}", name)
            self._walk_object(value, path)  # it may have been given attributes
        elif isinstance(value, property):
            self.enter(value.fget, path, value, ".fget", "fget")
        elif isinstance(value, staticmethod | classmethod):
            self.enter(value.__func__, path, value, ".__func__", "__func__")
        elif isinstance(value, ModuleType):
            self._walk_module(value, path)
        elif isinstance(value, type):
            self._walk_class(value, path)
        elif isinstance(value, list | tuple | deque):
            if not isinstance(value, tuple):
                self.scan.sizes[path] = len(value)
            for i, item in enumerate(value):
                self.enter(item, path, value, f"[{i}]", i)
            if isinstance(value, deque):
                longest = partial(self.enter, value.maxlen, path, value, ".maxlen", None)
                self.when_named("maxlen", longest)
        elif isinstance(value, dict | MappingProxyType):
            self._walk_dict(value, path)
        elif isinstance(value, set | frozenset):
            self._walk_set(value, path)
        elif isinstance(value, DICT_VIEWS):
            for mapping in gc.get_referents(value):
                self.walk(mapping, self.root(mapping))
        elif isinstance(value, _BUFFERS):
            self._walk_buffer(value, path)
        elif isinstance(value, ReferenceType):
            self._weak.append((value(), path, value))
        elif isinstance(value, ContextVar):
            self.enter_variable(value, path)
        elif isinstance(value, local):
            hidden.walk_local(self, value, path)
        elif isinstance(value, _lru_cache_wrapper):
            self._walk_cache(value, path)
        elif is_unguarded(type(value)):
            return  # the same object is enough
        elif is_engine(type(value)) and "_modules" not in getattr(value, "__dict__", ()):
            hidden.note_seed(self, value)
            for name in ("function", "_orig_mod"):  # what is compiled by itself
                if name in getattr(value, "__dict__", ()):
                    self.enter(vars(value)[name], path, value, f".{name}", name)
                    hidden.walk_additions(self, value, path)
        else:
            self._walk_other(value, path)
        if isinstance(value, list | dict | tuple | set | deque) and is_users(type(value)):
            self._walk_object(value, path)  # a subclass has attributes and methods too

    def _walk_dict(self, value: Mapping[Any, Any], path: str) -> None:
        self.scan.sizes[path] = len(value)
        items = list(items_of(value))
        keys = [key for key, _ in items]
        for key, item in items:
            access = self.item(key)
            if not isinstance(key, _PLAIN_VALUES):  # tensors are keys of optimizer state
                self.walk(key, f"K[{len(self.scan.keys) - 1}]")
            self.enter(item, path, value, access, key)
        texts = all(type(key) is str for key in keys)
        if (keys and not texts) or len(keys) > 1:  # who walks it sees the order, and the types
            if not path.endswith(UNORDERED) and "['param_groups']" not in path:
                self.scan.orders[path] = keys

    def _walk_set(self, value: Any, path: str) -> None:
        members = list(value)
        self.scan.sizes[path] = len(members)
        self.scan.orders[path] = members
        for member in members:
            if not isinstance(member, _PLAIN_VALUES):
                self.walk(member, self.key(member))

    def _walk_buffer(self, value: Any, path: str) -> None:
        """Bytes that anybody may write."""
        if isinstance(value, np.ndarray) and value.dtype.hasobject:
            self.note_unseen("an array of Python objects")
        elif memoryview(value).nbytes > _LARGEST_ARRAY:  # pyright: ignore[reportArgumentType]
            self.note_unseen(f"an array of more than {_LARGEST_ARRAY >> 20} MB")
        else:
            self.scan.arrays[path] = (value, contents_of(value))

    def enter_variable(self, value: ContextVar[Any], path: str) -> None:
        """What a context variable gives, where it is set or has a default."""
        now = hidden.settings_object(value)
        access = f".get({self.key(UNSET)})" if now is UNSET else ".get()"
        self.enter(now, path, value, access, None)

    def _walk_cache(self, value: Any, path: str) -> None:
        """A function that remembers results: nobody knows what it read when it computed them."""
        wrapped = value.__wrapped__
        written_here = isinstance(wrapped, FunctionType) and not is_foreign_code(wrapped)
        if written_here and reads_state(wrapped):
            self.note_unseen(f"{wrapped.__name__}(), which remembers what it read before,")
        self.enter(wrapped, path, value, ".__wrapped__", "__wrapped__")

    def _walk_other(self, value: Any, path: str) -> None:
        if unseen.is_stream(value):
            self.scan.streams.append(value)
            enter = partial(self.note_unseen, "the state of a generator of random numbers")
            self.when_named("bit_generator", enter, literally=True)
            return
        reason = unseen.why(value)
        if reason is not None:
            self.note_unseen(reason)
            return
        self._note_clocks(type(value))
        if not unseen.is_written_in_python(type(value)):
            hidden.note_methods(self, value)
        if type(value) in _LOCKS:
            enter = partial(self.note_unseen, "the state of a lock")
            for name in ("locked", "acquire", "_is_owned", *hidden.WRITES_OUT):
                self.when_named(name, enter, literally=True)
        if isinstance(value, operator.attrgetter | operator.methodcaller):
            self.learn({part for word in strings(value) for part in word.split(".")})
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, ModuleType | type):  # a method in C: d.get
            self.enter(owner, path, value, ".__self__", "__self__")
        if unseen.is_buffer(value):
            self._walk_buffer(value, path)
        in_python = unseen.is_written_in_python(type(value))
        if hasattr(value, "__dict__") or is_users(type(value)) or in_python:
            self._walk_object(value, path)
        if not in_python and not isinstance(value, Enum):
            self._walk_attributes(value, path)

    def _walk_attributes(self, value: Any, path: str) -> None:
        """Attributes of a tensor, or of an object without a dictionary, by the names in code."""
        for name in vars(value) if isinstance(value, TensorBase) else shown_by(value):
            if name.isidentifier() and not name.startswith("__"):
                self.when_named(name, partial(self._enter_attribute, value, path, name))

    def _enter_attribute(self, value: Any, path: str, name: str) -> None:
        try:
            item = getattr(value, name)
        except Exception:
            return
        if isinstance(value, TensorBase) or isinstance(item, hidden.SHOWN):
            self.enter(item, path, value, self.attribute(name), name)

    def note_unseen(self, what: str) -> None:
        """Something is in sight that cannot be guarded."""
        self.scan.unseen = self.scan.unseen or what

    # ---- objects and classes ---------------------------------------------------------------------

    def _walk_object(self, value: Any, path: str) -> None:
        kind = type(value)
        own = is_users(kind)
        if kind.__flags__ & _HEAP_TYPE:
            self.scan.kinds[path] = kind
        self.libraries.note_class(kind)
        fields = getattr(value, "__dict__", None)
        if isinstance(fields, dict):
            inside = self._inside(value, path)
            if own and has_only_bases_of_users(kind):
                self._walk_fields(fields, inside)
            else:
                for name, item in list(fields.items()):
                    own_lock = kind is cached_property and name == "lock"  # Python 3.11 has one
                    if name not in BOOKKEEPING and not own_lock:
                        self.enter(item, inside, fields, self.item(name), name)
        if own:
            self._walk_class(kind, self.root(kind))
        self._walk_slots(value, path)

    def _inside(self, value: Any, path: str) -> str:
        """The path of the dictionary of an object, a class or a module.

        What appears in it hides something of the class, or ends an AttributeError.
        """
        inside = f"{path}.__dict__"
        self.scan.places[inside] = Place(path, value, ".__dict__", "__dict__", None)
        self.scan.sizes[inside] = len(dict_of(value))
        return inside

    def note_inside(self, value: Any, path: str) -> None:
        """Notice what an object gets from now on."""
        self._inside(value, path)

    def _walk_fields(self, fields: dict[str, Any], path: str) -> None:
        """Attributes of a user's object: those that code names, now or when it gets there."""
        for name, item in list(fields.items()):
            if name in BOOKKEEPING:
                continue
            enter = partial(self.enter, item, path, fields, self.item(name), name)
            if name in USED_BY_MODULE:
                enter()
            else:
                self.when_named(name, enter)

    def _walk_slots(self, value: Any, path: str) -> None:
        """Attributes without a dictionary; those of a library's class its methods read unnamed."""
        for base in type(value).__mro__:
            # Our own keep what the optimizers and layers that are looked into made of themselves.
            slots = () if is_own_name(home_of(base)) else vars(base).get("__slots__", ())
            own = is_users(base)
            for name in (slots,) if isinstance(slots, str) else slots:
                if name in ("__dict__", "__weakref__"):
                    continue
                if name.startswith("__") and not name.endswith("__"):
                    name = f"_{base.__name__.lstrip('_')}{name}"
                if hasattr(value, name):
                    item = getattr(value, name)
                    enter = partial(self.enter, item, path, value, self.attribute(name), name)
                    self.when_named(name, enter) if own else enter()
                elif own:
                    self.when_named(name, partial(self._note_unset, value, path, name))

    def _note_unset(self, value: Any, path: str, name: str) -> None:
        self.scan.unset[path, name] = value

    def _walk_class(self, kind: type, path: str) -> None:
        hidden.note_registrations(self, kind)
        if not is_users(kind):
            self._note_clocks(kind)
            return
        if type(kind) is not type and is_users(type(kind)):  # attributes of a metaclass
            self.walk(type(kind), self.root(type(kind)))
        hidden.walk_descriptions(self, kind, path)
        bases = f"{path}.__mro__"
        self.scan.places[bases] = Place(path, kind, ".__mro__", None, None)
        self.scan.objects[bases] = kind.__mro__
        for base in kind.__mro__:
            if is_users(base):
                where = path if base is kind else self.root(base)
                self._seen.add(id(base))
                self._walk_members(base, where)

    def _note_clocks(self, kind: type) -> None:
        for name in unseen.CLOCK_METHODS.get(home_of(kind).partition(".")[0], ()):
            enter = partial(self.note_unseen, f"{kind.__name__}.{name}()")
            self.when_named(name, enter, literally=True)

    def _walk_members(self, kind: type, path: str) -> None:
        """What is written in a class, if code names it."""
        fields = dict_of(kind)
        inside = self._inside(kind, path)
        for name, item in list(fields.items()):
            known = isinstance(item, (*_PLAIN_VALUES, FunctionType, list, tuple, dict, set))
            wraps = isinstance(item, property | staticmethod | classmethod)
            listed = isinstance(kind, EnumMeta) or hasattr(kind, "_fields")
            if listed and name in _UNNAMED_MEMBERS:
                self.enter(item, inside, fields, self.item(name), None, kind)
            if name in _CONVERSIONS:  # what they return has to be a number, no stand-in
                self.scan.library = self.scan.library or f"{kind.__name__}.{name}"
            if (
                isinstance(name, str)
                and name.isidentifier()
                and (known or wraps or not name.startswith("__"))
            ):
                enter = partial(self.enter, item, inside, fields, self.item(name), name, kind)
                self.when_named(name, enter, isinstance(item, FunctionType) or wraps)

    def _walk_module(self, module: ModuleType, path: str) -> None:
        """A file of the user's: what code names in it."""
        if module.__name__ != "__main__":  # where names come and go
            self._inside(module, path)
        for name, item in list(vars(module).items()):
            plain = isinstance(item, (*_PLAIN_VALUES, FunctionType, list, tuple, dict, set))
            if (
                isinstance(name, str)
                and name.isidentifier()
                and (plain or not name.startswith("__"))
            ):
                enter = partial(self.enter, item, path, module, self.attribute(name), name)
                self.when_named(name, enter, isinstance(item, FunctionType))

    def when_named(
        self,
        name: str,
        enter: Callable[[], None],
        callable_: bool = False,
        literally: bool = False,
    ) -> None:
        """Enter what has a name now, or when code is met that names it.

        Computed names may be any, except where they are looked for `literally`: in a library.
        """
        special = callable_ and name.startswith("__") and name not in NEVER_CALLED
        entry_point = callable_ and name in ENTRY_POINTS
        any_name = self._all_names and not literally
        if special or entry_point or any_name or name in self.scan.known_names:
            self._ready.append(enter)
        else:
            waiting = self._waiting_literally if literally else self._waiting
            waiting.setdefault(name, []).append(enter)

    # ---- code ------------------------------------------------------------------------------------

    def _walk_function(self, function: FunctionType, path: str) -> None:
        if is_foreign_code(function):
            self._walk_wrapper(function)
            return
        self.scan.codes[path] = function.__code__
        self._learn_code(function.__code__)
        for cell in function.__closure__ or ():
            content = content_of(cell)
            if content is EMPTY:
                continue
            self.enter(content, self.root(cell), cell, ".cell_contents", "cell_contents")
        for name in ("__defaults__", "__kwdefaults__"):
            if getattr(function, name) is not None:
                self.enter(getattr(function, name), path, function, f".{name}", name)
        hidden.walk_descriptions(self, function, path)
        if vars(function):  # attributes of the function itself
            self._walk_object(function, path)
        self._walk_globals(function)

    def _walk_wrapper(self, function: FunctionType) -> None:
        """What a library's decorator made (`no_grad`, `singledispatch`) holds the user's."""
        self.libraries.note_settings(function)
        for cell in function.__closure__ or ():
            content = content_of(cell)
            registry = isinstance(content, dict) and not is_own_code(function)
            if registry or (callable(content) and not isinstance(content, type)):
                self.walk(content, self.root(content))
        if "__wrapped__" in vars(function):
            self.walk(function.__wrapped__, self.root(function.__wrapped__))  # type: ignore[attr-defined]

    def _walk_globals(self, function: FunctionType) -> None:
        scope = None
        space = function.__globals__
        names = names_in(function.__code__)
        if "globals" in names:  # any of them, by a computed name
            names |= {n for n in space if isinstance(n, str)}
        for name in sorted(names):
            if name in space:
                scope = scope or self.root(space)
                self.enter(space[name], scope, space, self.item(name), name)
            elif name in sys.modules:  # imported inside of the function
                loaded = sys.modules
                self.enter(loaded[name], self.root(loaded), loaded, self.item(name), name)
        builtin = function.__builtins__  # type: ignore[attr-defined]
        where = None
        for name in sorted(globals_in(function.__code__) - space.keys()):
            scope = scope or self.root(space)
            self.scan.absent[scope, name] = space
            if name in builtin:
                where = where or self.root(builtin)
                self.enter(builtin[name], where, builtin, self.item(name), None)

    def _learn_code(self, code: Any) -> None:
        self.scan.known_codes += codes_in(code)
        found = names_in(code) | words_in(code) | operators_in(code)
        for name in globals_in(code) & unseen.LOOKS_OUTSIDE:
            self.note_unseen(f"{name}()")
        for name in found & unseen.ASKS_AROUND:
            self.note_unseen(f"{name}()")
        if found & hidden.WRITES_OUT and makes_long_integers(code):
            hidden.note_digits(self)
        self.scan.by_identity = self.scan.by_identity or compares_identity(code)
        if asks_by_position(code):
            found |= LOOKUPS_BY_NAME
        self.learn(found)

    def learn(self, found: set[str]) -> None:
        """Code names these."""
        if found & LOOKUPS_BY_NAME:
            self._all_names = True
            for entries in self._waiting.values():
                self._ready += entries
            self._waiting.clear()
        for name in found - self.scan.known_names:
            self.scan.known_names.add(name)
            self._ready += self._waiting.pop(name, ())
            self._ready += self._waiting_literally.pop(name, ())
            self._ready += self.libraries.named(name)


__all__ = ["walk"]
