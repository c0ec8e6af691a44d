"""What a function can see: tensors, numbers and containers reachable from it, each with a path.

A path is Python source over a list of roots (`R[0].cell_contents['lr']`), so that guards over many
paths become one generated function.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType, ModuleType
from typing import Any

from ..autograd import source
from ..autograd.value import TensorBase

_LIMIT = 20_000
_DEPTH = 12
_ENGINE_LAYERS = ("ir", "ops", "autograd", "tensor", "compiler")
_PLAIN_VALUES = (bool, int, float, str, type(None))


class Scan:
    """One walk over everything reachable from a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.roots: list[Any] = []
        self.keys: list[Any] = []
        self.tensors: dict[int, tuple[str, Any]] = {}  # id(tensor) -> (path, tensor)
        self.values: dict[str, Any] = {}  # path -> bool, int, float, str or None
        self.sizes: dict[str, int] = {}  # path -> length of a list or dict
        self._seen: set[int] = set()
        self._walk_function(function)

    # ---- walking ---------------------------------------------------------------------------------

    def _root(self, value: Any) -> str:
        self.roots.append(value)
        return f"R[{len(self.roots) - 1}]"

    def _walk_function(self, function: Any, depth: int = 0) -> None:
        if isinstance(function, MethodType):
            self._walk(function.__self__, self._root(function.__self__), depth)
            function = function.__func__
        if not isinstance(function, FunctionType):
            self._walk(function, self._root(function), depth)
            return
        if id(function) in self._seen or _is_library(function):
            return
        self._seen.add(id(function))
        for cell in function.__closure__ or ():
            try:
                content = cell.cell_contents
            except ValueError:  # not filled yet
                continue
            self._walk(content, f"{self._root(cell)}.cell_contents", depth + 1)
        for value in function.__defaults__ or ():
            self._walk(value, self._root(value), depth + 1)
        scope = None
        for name in _names(function.__code__):
            if name in function.__globals__:
                scope = scope or self._root(function.__globals__)
                self._walk(function.__globals__[name], f"{scope}[{name!r}]", depth + 1)

    def _walk(self, value: Any, path: str, depth: int) -> None:
        if isinstance(value, _PLAIN_VALUES):
            self.values[path] = value
            return
        if isinstance(value, TensorBase):
            self.tensors.setdefault(id(value), (path, value))
            return
        if depth > _DEPTH or id(value) in self._seen or len(self._seen) > _LIMIT:
            return
        if isinstance(value, FunctionType | MethodType):
            self._walk_function(value, depth + 1)
            return
        if isinstance(value, type | ModuleType) or _is_engine(type(value)):
            return
        self._seen.add(id(value))
        if isinstance(value, list | tuple):
            self.sizes[f"len({path})"] = len(value)
            for i, item in enumerate(value):
                self._walk(item, f"{path}[{i}]", depth + 1)
        elif isinstance(value, dict):
            self._walk_dict(value, path, depth)
        elif isinstance(getattr(value, "__dict__", None), dict):
            self._walk_dict(value.__dict__, f"{path}.__dict__", depth)
            for name in ("__call__", "forward", "step"):  # what calling it (a Module) runs
                code = getattr(type(value), name, None)
                if isinstance(code, FunctionType):
                    self._walk_function(code, depth + 1)

    def _walk_dict(self, value: dict[Any, Any], path: str, depth: int) -> None:
        self.sizes[f"len({path})"] = len(value)
        for key, item in list(value.items()):
            if isinstance(key, str | int):
                where = f"{path}[{key!r}]"
            else:  # tensors are keys of optimizer state
                self.keys.append(key)
                where = f"{path}[K[{len(self.keys) - 1}]]"
                if not isinstance(key, _PLAIN_VALUES):
                    self._walk(key, f"K[{len(self.keys) - 1}]", depth + 1)
            self._walk(item, where, depth + 1)

    # ---- using paths -----------------------------------------------------------------------------

    def reader(self, expressions: list[str]) -> Callable[[], tuple[Any, ...]]:
        """A function that reads these paths; it raises when one no longer exists."""
        inside = "".join(f"{e}, " for e in expressions)
        code = f"def read():\n    return ({inside})"
        space: dict[str, Any] = {"R": self.roots, "K": self.keys}
        exec(compile(code, "<chainrule guard>", "exec"), space)
        return space["read"]

    def checker(self, same: list[tuple[str, Any]], equal: list[tuple[str, Any]]) -> Any:
        """A function that tells whether paths lead to the same objects and equal values."""
        space: dict[str, Any] = {"R": self.roots, "K": self.keys}
        tests = []
        for i, (path, value) in enumerate(same):
            space[f"t{i}"] = value
            tests.append(f"{path} is t{i}")
        for i, (path, value) in enumerate(equal):
            space[f"v{i}"] = value
            tests.append(f"{path} == v{i}")
        code = f"def check():\n    return {' and '.join(tests) or 'True'}"
        exec(compile(code, "<chainrule guard>", "exec"), space)
        return space["check"]

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


def _is_library(function: FunctionType) -> bool:
    """Whether a function is our own: what it sees is not the user's state."""
    return source.is_library(function.__code__.co_filename)


def _is_engine(kind: type) -> bool:
    """Whether an object belongs to the layers below the libraries (a dtype, an op, a mode)."""
    package, _, rest = kind.__module__.partition(".")
    return package == __name__.split(".")[0] and rest.split(".")[0] in _ENGINE_LAYERS
