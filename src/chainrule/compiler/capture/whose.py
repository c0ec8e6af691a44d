"""Whose a function, a module or a class is: the user's own may hold settings that are looked at."""

from __future__ import annotations

import sys
from types import CodeType, FunctionType, ModuleType

from ...autograd import source

_ENGINE_LAYERS = ("ir", "ops", "autograd", "tensor", "compiler")
# Where classes of these layers are at home under PyTorch's name: torch.Tensor, torch.dtype.
_ENGINE_UNDER_THE_HOOK = ("", "_C", "nn.parameter", "storage")
_STANDARD = tuple({str(sys.modules[m].__file__).rsplit("/", 1)[0] + "/" for m in ("enum", "types")})


def home_of(kind: type) -> str:
    """The module of a class; "" where `__module__` is something else (NumPy has such classes)."""
    name = kind.__module__
    return name if isinstance(name, str) else ""


def is_foreign_code(function: FunctionType) -> bool:
    """Whether a function is our own or a library's: what it sees is not the user's state."""
    return is_foreign_file(function.__code__.co_filename)


def is_own_code(function: FunctionType) -> bool:
    """Whether a function is part of this package."""
    return source.is_library(function.__code__.co_filename)


def is_foreign_file(name: str) -> bool:
    """Whether code in a file is our own or a library's."""
    if source.is_library(name):
        return True
    return (
        "site-packages" in name
        or "dist-packages" in name
        or name.startswith((*_STANDARD, "<frozen "))
    )


# Packages below everything: what they compute depends on their arguments, and on settings that are
# guarded by themselves (`hidden.py`).
_FOUNDATIONS = {"numpy", "scipy", "ml_dtypes", "llvmlite"}


def is_foundation(module: str, code: CodeType) -> bool:
    """Whether code is ours, or of a package that this one stands on."""
    ours = source.is_own_name(module) or source.is_library(code.co_filename)
    return ours or module.partition(".")[0] in _FOUNDATIONS


def is_foreign_module(module: ModuleType) -> bool:
    """Whether a module is our own or a library's."""
    file = getattr(module, "__file__", None)
    if file is None:  # built in, unless somebody made it by hand
        return module.__name__ in sys.builtin_module_names or module.__spec__ is not None
    return is_foreign_file(file)


def is_own_module(module: ModuleType) -> bool:
    """Whether a module is part of this package."""
    return source.is_own_name(module.__name__)


def is_users(kind: type) -> bool:
    """Whether a class was written by the user: its methods and constants may be settings."""
    module = sys.modules.get(home_of(kind))
    if module is None:
        return True  # run from text
    return home_of(kind) not in sys.builtin_module_names and not is_foreign_module(module)


def has_only_bases_of_users(kind: type) -> bool:
    """Whether no library's methods read the attributes, except those of `Module` itself."""
    for base in kind.__mro__:
        if not is_users(base) and base is not object:
            head, _, inside = home_of(base).partition(".")
            of_module = head in source.OWN_NAMES and inside.startswith("nn.modules.module")
            if not of_module and base.__name__ not in ("Generic", "Protocol", "ABC"):
                return False
    return True


def is_unguarded(kind: type) -> bool:
    """Whether one of our own classes says that the state of its objects decides nothing."""
    return getattr(kind, "unguarded", None) is True and source.is_own_name(home_of(kind))


def is_engine(kind: type) -> bool:
    """Whether an object belongs to the layers below the libraries (a dtype, an op, a mode)."""
    package, _, rest = home_of(kind).partition(".")
    return package in source.OWN_NAMES and (
        rest.split(".")[0] in _ENGINE_LAYERS or rest in _ENGINE_UNDER_THE_HOOK
    )
