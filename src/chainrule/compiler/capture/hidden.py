"""State that no name leads to: what libraries keep in C, and what is behind a class or a function.

The walk (`walk.py`) reaches what code names. Arithmetic with decimals and arrays, printed arrays
and `isinstance` depend on settings besides; objects made in C answer from memory of their own.
"""

from __future__ import annotations

import abc
import functools
import sys
import warnings
from collections.abc import Callable
from functools import partial
from threading import local
from types import FunctionType
from typing import Any

import numpy as np

from ...autograd.value import TensorBase
from .sight import UNSET, dict_of
from .walk_tables import ASKS_FOR_ATTRIBUTES
from .whose import home_of, is_users

# Classes of the standard library, made in C, whose objects answer the same for ever.
_UNCHANGING = {
    "builtin_function_or_method", "method_descriptor", "wrapper_descriptor", "method-wrapper",
    "classmethod_descriptor", "getset_descriptor", "member_descriptor", "code", "slice", "range",
    "ellipsis", "NotImplementedType", "object", "Pattern", "Match", "Struct", "date", "datetime",
    "time", "timedelta", "timezone", "tzinfo", "Decimal", "itemgetter", "attrgetter",
    "methodcaller", "GenericAlias", "UnionType", "TypeVar", "ParamSpec", "TypeAliasType", "Token",
    "SimpleNamespace", "super", "property", "staticmethod", "classmethod", "instancemethod",
    "_abc_data", "ZoneInfo", "complex", "PyCapsule", "method", "function", "cell", "map", "filter",
    "zip", "enumerate", "lock", "RLock", "_thread.lock", "_thread.RLock", "_tuplegetter",
    "CFunctionType", "PyCFuncPtrType", "PyCSimpleType", "Random", "_lru_cache_wrapper",
}  # fmt: skip
# Attributes of objects made in C that are looked at; what else they show is not known.
SHOWN = (
    bool, int, float, str, bytes, complex, type(None), np.generic, list, dict, tuple, set,
    TensorBase,
)  # fmt: skip
# What turns a value into text; `__format__` stands for formatted strings, too.
WRITES_OUT = {"repr", "str", "format", "__format__", "__repr__", "__str__"}
# What the functions and classes themselves are called and say.
_DESCRIPTIONS = ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__")


def note_ambient(walk: Any, package: str) -> None:
    """Settings of a library in sight that all of its arithmetic depends on."""
    if package == "decimal":
        module = sys.modules["decimal"]
        now = repr(module.getcontext())
        walk.enter(now, walk.root(module), module, ".getcontext().__repr__()", None)
    elif package == "numpy":
        here = sys.modules[__name__]
        walk.enter(numpy_settings(), walk.root(here), here, ".numpy_settings()", None)
    elif package == "warnings":
        here = sys.modules[__name__]
        walk.enter(warning_filters(), walk.root(here), here, ".warning_filters()", None)


def warning_filters() -> str:
    """What is done with warnings: setting a filter that is there already leaves no trace."""
    return repr(warnings.filters)


def numpy_settings() -> str:
    """How errors in arithmetic are treated and how arrays are printed, in this thread."""
    return "".join([_told(variable.get(), tell) for variable, tell in _numpy_variables()])


@functools.cache
def _numpy_variables() -> list[tuple[Any, Callable[[], Any]]]:
    """Context variables, each with the function that tells what it says."""
    found = [
        (getattr(sys.modules.get(f"numpy._core.{module}"), name, None), tell)
        for module, name, tell in (
            ("umath", "_extobj_contextvar", np.geterr),
            ("printoptions", "format_options", np.get_printoptions),
        )
    ]
    return [pair for pair in found if pair[0] is not None]


_known: dict[int, tuple[Any, str]] = {}  # objects that were told before, by id


def _told(thing: Any, tell: Callable[[], Any]) -> str:
    """In words: threads and `with` blocks have objects of their own that say the same."""
    found = _known.get(id(thing))
    if found is None:
        if len(_known) > 64:
            _known.clear()
        found = _known[id(thing)] = (thing, repr(tell()))
    return found[1]


def settings_object(variable: Any) -> Any:
    """What a context variable gives: set, by default, or nothing."""
    try:
        return variable.get()
    except LookupError:
        return UNSET


def note_seed(walk: Any, value: Any) -> None:
    """A generator of ours tells what it was seeded with."""
    if hasattr(type(value), "initial_seed"):
        enter = partial(walk.note_unseen, "the seed of a generator")
        walk.when_named("initial_seed", enter, literally=True)


def note_digits(walk: Any) -> None:
    """How long an integer may be that is written out."""
    if not any(path.endswith(".get_int_max_str_digits()") for path in walk.scan.values):
        now = sys.get_int_max_str_digits()
        walk.enter(now, walk.root(sys), sys, ".get_int_max_str_digits()", None)


def note_registrations(walk: Any, kind: type) -> None:
    """`isinstance` of an abstract class also counts classes that somebody registered."""
    if isinstance(kind, abc.ABCMeta):
        enter = partial(_enter_token, walk)
        walk.when_named("isinstance", enter, literally=True)
        walk.when_named("issubclass", enter, literally=True)


def _enter_token(walk: Any) -> None:
    where = walk.root(abc)
    if not any(path.endswith(".get_cache_token()") for path in walk.scan.values):
        walk.enter(abc.get_cache_token(), where, abc, ".get_cache_token()", None)


def walk_descriptions(walk: Any, value: Any, path: str) -> None:
    """Names and texts of a function or a class, where code asks for them."""
    for name in _DESCRIPTIONS:
        enter = partial(_enter_description, walk, value, path, name)
        walk.when_named(name, enter, literally=True)


def _enter_description(walk: Any, value: Any, path: str, name: str) -> None:
    if isinstance(value, FunctionType) or name in ("__name__", "__qualname__"):
        walk.enter(getattr(value, name), path, value, f".{name}", name)


def walk_local(walk: Any, value: local, path: str) -> None:
    """What every thread has its own of: each asks the object, not one thread's dictionary."""
    kinds = [kind for kind in type(value).__mro__ if is_users(kind)]
    names = dict.fromkeys([*vars(value), *(name for kind in kinds for name in dict_of(kind))])
    for name in names:
        if not name.startswith("__"):
            item = getattr(value, name, None)
            if not callable(item):
                enter = partial(walk.enter, item, path, value, walk.attribute(name), name)
                walk.when_named(name, enter)
    count = len(vars(value))
    walk.enter(count, path, value, ".__dict__.__len__()", None)


def walk_additions(walk: Any, value: Any, path: str) -> None:
    """What the user gave to a function that is compiled by itself."""
    fields = vars(value)
    for name, item in list(fields.items()):
        if isinstance(name, str) and not name.startswith("_"):
            place = (f"{path}.__dict__", fields, walk.item(name))
            walk.when_named(name, partial(walk.enter, item, *place, name))
    for name in ASKS_FOR_ATTRIBUTES:
        walk.when_named(name, partial(walk.note_inside, value, path), literally=True)


def note_methods(walk: Any, value: Any) -> None:
    """Objects of the standard library made in C: a queue, a stream, a hash know more than they
    show. Code that names one of their methods may ask for it."""
    kind = type(value)
    if home_of(kind).partition(".")[0] not in sys.stdlib_module_names:
        return
    if kind.__name__ in _UNCHANGING or isinstance(value, np.generic | type):
        return
    for name in dir(kind):
        if name.startswith("__"):
            continue
        if callable(getattr(kind, name, None)) or not _is_shown(getattr(value, name, None)):
            enter = partial(walk.note_unseen, f"{kind.__name__}.{name}")
            walk.when_named(name, enter, literally=True)


def _is_shown(item: Any) -> bool:
    """Whether the walk looks at an attribute of an object made in C."""
    return isinstance(item, SHOWN)
