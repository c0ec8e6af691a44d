"""What a function can see: tensors, numbers and containers reachable from it, each with a path.

A path is Python source over a list of roots (`R[0].cell_contents['lr']`), so that a number is read
by generated code.  Guards look one step further: each container on a path is checked once, to be
the same object, and what it holds is then asked of the container itself.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from ..autograd import source
from ..autograd.value import TensorBase
from ..ops.rng import Generator

_LIMIT = 20_000
_DEPTH = 12
_LONGEST = 10_000  # longer containers are data, not settings
_ENGINE_LAYERS = ("ir", "ops", "autograd", "tensor", "compiler")
_PLAIN_VALUES = (bool, int, float, str, type(None))


class Place(NamedTuple):
    """Where something was found: `owner` is the container's path, `access` how it is asked."""

    owner: str
    container: Any
    access: str


class Scan:
    """One walk over everything reachable from a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.roots: list[Any] = []
        self.keys: list[Any] = []
        self.tensors: dict[int, tuple[str, Any]] = {}  # id(tensor) -> (path, tensor)
        self.values: dict[str, Any] = {}  # path -> bool, int, float, str or None
        self.sizes: dict[str, int] = {}  # path -> length of a list or dict
        self.objects: dict[str, Any] = {}  # path -> what must stay the same object: generators
        self.places: dict[str, Place] = {}
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
            self._enter(content, self._root(cell), cell, ".cell_contents", depth + 1)
        for value in function.__defaults__ or ():
            self._walk(value, self._root(value), depth + 1)
        scope = None
        for name in sorted(_names(function.__code__)):
            if name in function.__globals__:
                scope = scope or self._root(function.__globals__)
                content = function.__globals__[name]
                self._enter(content, scope, function.__globals__, f"[{name!r}]", depth + 1)

    def _enter(self, value: Any, owner: str, container: Any, access: str, depth: int) -> None:
        """Walk into what a container holds."""
        path = owner + access
        self.places[path] = Place(owner, container, access)
        self._walk(value, path, depth)

    def _walk(self, value: Any, path: str, depth: int) -> None:
        if isinstance(value, _PLAIN_VALUES):
            self.values[path] = value
            return
        if isinstance(value, TensorBase):
            self.tensors.setdefault(id(value), (path, value))
            return
        if isinstance(value, Generator):
            self.objects[path] = value
            return
        if depth > _DEPTH or id(value) in self._seen or len(self._seen) > _LIMIT:
            return
        if isinstance(value, FunctionType | MethodType):
            self._walk_function(value, depth + 1)
            return
        if isinstance(value, type | ModuleType) or _is_engine(type(value)):
            return
        self._seen.add(id(value))
        if isinstance(value, list | tuple | dict) and len(value) > _LONGEST:
            return
        if isinstance(value, list | tuple):
            self.sizes[path] = len(value)
            for i, item in enumerate(value):
                self._enter(item, path, value, f"[{i}]", depth + 1)
        elif isinstance(value, dict):
            self._walk_dict(value, path, depth)
        elif isinstance(getattr(value, "__dict__", None), dict):
            self.places[f"{path}.__dict__"] = Place(path, value, ".__dict__")
            self._walk_dict(value.__dict__, f"{path}.__dict__", depth)
            for name in ("__call__", "forward", "step"):  # what calling it (a Module) runs
                code = getattr(type(value), name, None)
                if isinstance(code, FunctionType):
                    self._walk_function(code, depth + 1)

    def _walk_dict(self, value: dict[Any, Any], path: str, depth: int) -> None:
        self.sizes[path] = len(value)
        for key, item in list(value.items()):
            if isinstance(key, str | int):
                access = f"[{key!r}]"
            else:  # tensors are keys of optimizer state
                self.keys.append(key)
                access = f"[K[{len(self.keys) - 1}]]"
                if not isinstance(key, _PLAIN_VALUES):
                    self._walk(key, f"K[{len(self.keys) - 1}]", depth + 1)
            self._enter(item, path, value, access, depth + 1)

    # ---- using paths -----------------------------------------------------------------------------

    def reader(self, expressions: list[str]) -> Callable[[], tuple[Any, ...]]:
        """A function that reads these paths; it raises when one no longer exists."""
        inside = "".join(f"{e}, " for e in expressions)
        code = f"def read():\n    return ({inside})"
        space: dict[str, Any] = {"R": self.roots, "K": self.keys}
        exec(compile(code, "<chainrule guard>", "exec"), space)
        return space["read"]

    def checker(
        self,
        same: list[tuple[str, Any]],
        equal: list[tuple[str, Any]],
        alike: list[list[str]],
        conditions: list[tuple[Any, str]],
    ) -> Callable[[], bool]:
        """A function that tells whether paths lead to the same objects and to equal values.

        Paths of one list in `alike` must lead to values equal to each other; `conditions` are
        things with code that is appended to their names.
        """
        checker = _Checker(self)
        checker.tests = [f"{checker.name(thing)}{code}" for thing, code in conditions]
        return checker.function(same, equal, alike)

    def describe(self, path: str) -> str:
        """A path as a user would write it."""
        if path.startswith("R[") and path.endswith(".cell_contents"):
            return "a variable of the enclosing function"
        if "].__dict__[" in path:
            return "." + path.rsplit(".__dict__[", 1)[1].rstrip("]").strip("'\"")
        return path.rsplit("[", 1)[-1].rstrip("]").strip("'\"")


class _Checker:
    """Writes a guard: conditions on containers that are themselves known to be the same."""

    def __init__(self, scan: Scan) -> None:
        self.scan = scan
        self.space: dict[str, Any] = {"K": scan.keys, "R": scan.roots}
        self.names: dict[int, str] = {}
        self.linked: set[str] = set()
        self.tests: list[str] = []

    def name(self, thing: Any) -> str:
        found = self.names.get(id(thing))
        if found is None:
            found = self.names[id(thing)] = f"c{len(self.names)}"
            self.space[found] = thing
        return found

    def _read(self, path: str) -> str:
        """Code for what is at a path now, after tests that its container is where it was."""
        place = self.scan.places.get(path)
        if place is None:  # a root, or a key: the scan itself holds it
            return path
        self._link(place.owner, place.container)
        return f"{self.name(place.container)}{place.access}"

    def _link(self, path: str, container: Any) -> None:
        if path in self.linked:
            return
        self.linked.add(path)
        place = self.scan.places.get(path)
        if place is None:
            return
        self._link(place.owner, place.container)
        if place.access != ".__dict__":  # an object keeps its dict
            read = f"{self.name(place.container)}{place.access}"
            self.tests.append(f"{read} is {self.name(container)}")

    def function(
        self, same: list[tuple[str, Any]], equal: list[tuple[str, Any]], alike: list[list[str]]
    ) -> Callable[[], bool]:
        for path, value in same:
            self.tests.append(f"{self._read(path)} is {self.name(value)}")
        for path, value in equal:
            if value is None or isinstance(value, bool):
                self.tests.append(f"{self._read(path)} is {value!r}")
            else:
                self.tests.append(f"{self._read(path)} == {value!r}")
        for first, *others in alike:
            self.tests += [f"{self._read(first)} == {self._read(path)}" for path in others]
        # Arguments with defaults are found faster than globals.
        local = ", ".join(f"{name}={name}" for name in self.space)
        code = f"def check({local}):\n    return {' and '.join(self.tests) or 'True'}"
        self.space["inf"] = float("inf")
        exec(compile(code, "<chainrule guard>", "exec"), self.space)
        return self.space["check"]


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
