"""State that no guard can read: iterators, clocks, generators of random numbers."""

from __future__ import annotations

import io
import os
import random
from collections.abc import Iterator
from contextvars import Context
from types import (
    AsyncGeneratorType,
    BuiltinFunctionType,
    CoroutineType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from ...autograd import source
from .whose import home_of

# Modules of the standard library whose functions answer differently from call to call.
_CLOCKS = {
    "time", "datetime", "uuid", "secrets", "os", "posix", "nt", "sys", "socket", "select", "gc",
    "signal", "resource", "tempfile", "threading", "_thread", "multiprocessing", "subprocess",
    "tracemalloc", "platform", "locale", "getpass", "shutil", "glob", "io", "_io", "queue",
    "_queue", "importlib", "inspect",
}  # fmt: skip
# Those among them that only look at their arguments, or cannot change.
_FIXED = {
    "fspath", "fsencode", "fsdecode", "intern", "collect", "sleep", "exit",
}  # fmt: skip


def is_stream(value: Any) -> bool:
    """Whether it draws random numbers that are not ours."""
    return isinstance(value, random.Random | np.random.Generator | np.random.RandomState)


def stream_state(value: Any) -> Any:
    """A generator's state, in a form that can be compared."""
    if isinstance(value, random.Random):
        return value.getstate()
    source = value.bit_generator if isinstance(value, np.random.Generator) else value._bit_generator
    return repr(source.state)


# What classes of the standard library are asked for the time, or the time zone, by.
CLOCK_METHODS = {
    "datetime": ("now", "today", "utcnow", "fromtimestamp", "timestamp", "astimezone", "strftime")
}
# Builtins that look outside of the program.
LOOKS_OUTSIDE = {"open", "input", "eval", "exec", "__import__"}
# What classes and weak references know of others.
ASKS_AROUND = {"__subclasses__", "getweakrefcount", "getweakrefs"}


_SETTINGS = {
    "get_num_threads", "get_num_interop_threads", "initial_seed", "get_float32_matmul_precision",
    "are_deterministic_algorithms_enabled", "is_deterministic_algorithms_warn_only_enabled",
    "get_deterministic_debug_mode", "get_default_device", "is_anomaly_enabled", "set_num_threads",
    "set_num_interop_threads", "use_deterministic_algorithms", "set_deterministic_debug_mode",
    "set_printoptions", "set_flush_denormal", "set_float32_matmul_precision", "set_warn_always",
    "set_default_device", "set_default_tensor_type",
}  # fmt: skip


def asks_settings(function: Any) -> bool:
    """Whether one of our own functions tells or sets what is no part of a kind of call."""
    return function.__name__ in _SETTINGS


# Functions of libraries that read files, or settings that no name leads to; by package.
_OUTSIDE = {
    "numpy": {
        "fromfile", "load", "loadtxt", "genfromtxt", "memmap", "geterr", "geterrcall", "getbufsize",
        "get_printoptions",
    },
    "chainrule": {"load", "get_printoptions"},
    "warnings": {"warn", "warn_explicit"},
    "_warnings": {"warn", "warn_explicit"},
    "logging": {"getLogger"},
    "locale": {"getlocale", "localeconv"},
}  # fmt: skip


# Modules written in C whose functions answer what follows from their arguments, or what is guarded
# by itself; those that are not here may keep a state of their own.
_ANSWERS_BY_ARGUMENTS = {
    "builtins", "math", "cmath", "operator", "itertools", "functools", "collections", "struct",
    "sre", "json", "binascii", "zlib", "bz2", "lzma", "bisect", "heapq", "statistics",
    "unicodedata", "string", "codecs", "pickle", "ast", "marshal", "abc", "weakref", "contextvars",
    "decimal", "errno", "csv", "random", "stat", "typing", "tokenize", "hashlib", "md5", "sha1",
    "sha2", "sha256", "sha512", "sha3", "blake2", "array", "opcode", "warnings", "imp", "ctypes",
    "copyreg", "types", "numpy", "scipy", "ml_dtypes", "llvmlite",
}  # fmt: skip


def keeps_state(function: Any) -> bool:
    """Whether it is a function of a module made in C that may answer otherwise another time."""
    module = getattr(function, "__self__", None)
    if not isinstance(module, ModuleType):
        return False
    top = module.__name__.partition(".")[0]
    ours = top in source.OWN_NAMES or top.lstrip("_") in _ANSWERS_BY_ARGUMENTS
    return not ours and function.__name__ not in _FIXED


_SPEAKING = {("builtins", "print"), ("builtins", "open"), ("builtins", "input")}
# Modules in C of which a library asks for what its caller wants to know.
_ASKED_BY_LIBRARIES = {
    "time", "posix", "nt", "io", "_io", "_socket", "select", "_locale", "_signal", "atexit", "gc",
    "resource", "pwd", "grp", "_tracemalloc", "faulthandler", "fcntl", "_sqlite3", "_uuid",
}  # fmt: skip


def looks_outside(module: str, name: str) -> bool:
    """Whether a function of a library reads something that is neither named nor an argument."""
    return name in _OUTSIDE.get(module.partition(".")[0], ())


def asks_outside(function: Any) -> str:
    """What a function made in C asks that is neither named nor an argument, or prints."""
    owner, name = getattr(function, "__self__", None), function.__name__
    module = getattr(function, "__module__", None) or ""
    if is_clock(function) or looks_outside(module, name) or (module, name) in _SPEAKING:
        return f"{module}.{name}()"
    if keeps_state(function):
        return f"{module}.{name}()"
    if isinstance(owner, io.IOBase):
        return f"{type(owner).__name__}.{name}()"
    kind = owner if isinstance(owner, type) else type(owner)
    if name in CLOCK_METHODS.get(home_of(kind).partition(".")[0], ()):
        return f"{kind.__name__}.{name}()"
    return ""


def looks_outside_of_libraries(function: Any) -> str:
    """The same of what a library's code calls on behalf of the user's."""
    module = getattr(function, "__module__", None) or ""
    if module in _ASKED_BY_LIBRARIES and function.__name__ not in _FIXED:
        return f"{module}.{function.__name__}()"
    in_c = isinstance(getattr(function, "__self__", None), io.IOBase)
    return asks_outside(function) if in_c or module in ("builtins", "_warnings", "_locale") else ""


def is_buffer(value: Any) -> bool:
    """Whether it shows its memory, as arrays do."""
    try:
        memoryview(value)
    except TypeError:
        return False
    return True


def is_setting(value: Any) -> bool:
    """Whether a name in a library stands for a mapping of settings, such as `os.environ`."""
    return isinstance(value, os._Environ)


def is_clock(value: Any) -> bool:
    """Whether a function of the standard library gives other results for the same arguments."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__name__", None)
    if not callable(value) or isinstance(value, type) or name in _FIXED:
        return False
    return module in _CLOCKS


def why(value: Any) -> str | None:
    """Why an object's state cannot be guarded; None where it can, or has none."""
    kind = type(value)
    if isinstance(value, AsyncGeneratorType | CoroutineType):
        return f"a {kind.__name__}"
    if isinstance(value, Iterator) and not is_written_in_python(kind):
        return f"an iterator ({kind.__name__})"
    if isinstance(value, Context):
        return "a context of context variables"
    if (kind.__module__, kind.__name__) == ("weakref", "finalize") or type(
        kind
    ).__name__ == "PyCPointerType":
        return f"a {kind.__name__}"
    if isinstance(value, BuiltinFunctionType) and is_clock(value):
        return f"{value.__module__}.{value.__name__}()"
    return None


def is_written_in_python(kind: type) -> bool:
    """Whether objects of a class hold nothing but attributes that can be looked into."""
    return not any(_is_made_in_c(base) for base in kind.__mro__ if base is not object)


def _is_made_in_c(kind: type) -> bool:
    heap, fixed = 1 << 9, 1 << 8  # Py_TPFLAGS_HEAPTYPE, Py_TPFLAGS_IMMUTABLETYPE
    if not kind.__flags__ & heap or kind.__flags__ & fixed:
        return True
    return any(  # C code makes classes on the heap, too: with methods in C of their own
        isinstance(item, MethodDescriptorType | WrapperDescriptorType) and item.__objclass__ is kind
        for item in vars(kind).values()
    )
