"""Functions whose results depend on their arguments alone, as far as their code tells."""

from __future__ import annotations

import builtins
import functools
from types import BuiltinFunctionType, FunctionType, ModuleType

from ...autograd.value import TensorBase
from .code_names import globals_in, names_in
from .whose import is_foreign_module

_FIXED = (type, type(None), BuiltinFunctionType)
_OF_VALUES = (str, bytes, int, float, complex, list, tuple, dict, set, frozenset, range, TensorBase)


@functools.cache
def _attributes_of_values() -> set[str]:
    return {name for kind in _OF_VALUES for name in dir(kind)}


def reads_state(function: FunctionType, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a function reads more than the values of its arguments: a global, an attribute."""
    if function.__closure__:
        return True
    seen |= {id(function)}
    code = function.__code__
    known = set(_attributes_of_values())
    for name in globals_in(code):
        value = function.__globals__.get(name, vars(builtins).get(name))
        if isinstance(value, FunctionType):
            if id(value) not in seen and reads_state(value, seen):
                return True
        elif isinstance(value, ModuleType) and is_foreign_module(value):
            known |= {*dir(value)}
        elif not isinstance(value, _FIXED):
            return True
    return not names_in(code) - globals_in(code) <= known
