"""What a function can see: tensors, numbers, containers and objects reachable from it, with paths.

A path is Python source over a list of roots (`R[0].cell_contents["lr"]`): what lies there is
read by generated code (`guards.py`).  `walk.py` finds all of it.  What holds state that no guard
can read (an iterator, a clock) is `unseen`: with such a thing in sight nothing is captured.
"""

from __future__ import annotations

import functools
import gc
import operator
import re
from collections import deque
from collections.abc import Callable
from types import CodeType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from ...tensor.namespaces import names_so_far
from ..graph.exact_numbers import same_number
from .code_names import globals_in
from .whose import is_users

# Names that tell a stand-in for a number from the number.
_SEE_THROUGH = {"type", "id", "pow"}  # of three numbers, `pow` takes no stand-ins
# Methods of NumPy that take numbers of exact types only.
_EXACT_TYPES = {"result_type", "can_cast", "min_scalar_type", "promote_types"}
UNSET = type("Unset", (), {"__repr__": lambda self: "nothing"})()


class Place(NamedTuple):
    """Where something was found: `owner` is the container's path, `access` how it is asked."""

    owner: str
    container: Any
    access: str
    key: Any  # of an item, or the name of an attribute
    kind: type | None  # the class whose dictionary the container is

    def put(self, value: Any) -> None:
        """Put another value there."""
        if self.kind is not None:
            setattr(self.kind, self.key, value)
        elif self.access.startswith("["):
            self._plain().__setitem__(self.container, self.key, value)
        else:
            object.__setattr__(self.container, self.key, value)

    def get(self) -> Any:
        """What is there now."""
        if self.access.startswith("["):
            return self._plain().__getitem__(self.container, self.key)
        return getattr(self.container, self.key)

    def _plain(self) -> Any:
        """The class whose methods reach what is stored: a subclass's own may compute or count."""
        return next(
            (k for k in (dict, list, tuple, deque) if isinstance(self.container, k)),
            type(self.container),
        )


class TooLarge(Exception):
    """More objects are in sight than a guard could check."""


class Scan:
    """All that one walk found."""

    def __init__(self) -> None:
        self.roots: list[Any] = []
        self.keys: list[Any] = []
        self.tensors: dict[int, tuple[str, Any]] = {}  # id(tensor) -> (path, tensor)
        self.tensor_paths: dict[str, Any] = {}  # all of them: one tensor may be in several places
        self.values: dict[str, Any] = {}  # path -> bool, int, float, str or None
        self.sizes: dict[str, int] = {}  # path -> length of a list or dict
        self.orders: dict[str, list[Any]] = {}  # path -> keys of a dict, members of a set
        self.arrays: dict[str, tuple[Any, bytes]] = {}  # path -> NumPy array, its contents
        self.objects: dict[str, Any] = {}  # path -> what must stay the same object
        self.kinds: dict[str, type] = {}  # path -> class of an object that might get another
        self.codes: dict[str, CodeType] = {}  # path -> code of a function
        self.absent: dict[tuple[str, str], dict[str, Any]] = {}  # (scope, name that is not in it)
        self.unset: dict[tuple[str, str], Any] = {}  # (path, slot that is empty) -> the object
        self.places: dict[str, Place] = {}
        self.streams: list[Any] = []  # generators of random numbers that are not ours
        self.unseen: str | None = None  # what is in sight and cannot be guarded
        self.library: str | None = None  # whose code may not take stand-ins for numbers
        self.by_identity = False  # whether code may ask if a number is the same object
        self.known_codes: list[CodeType] = []  # code that was reached
        self.known_names: set[str] = set()  # names in it

    def same(self, a: Any, b: Any) -> bool:
        """Whether the function cannot tell two numbers apart; containers find NaN by identity."""
        if a is b or type(a) is not type(b):  # a tensor may be there now, which compares otherwise
            return a is b
        return not self.by_identity and not bool(a != a) and same_number(a, b)

    def in_order(self, now: Any, keys: list[Any]) -> bool:
        """Whether these are the keys of a dict, or the members of a set, for all that is asked."""
        return (same_objects if self.by_identity else same_order)(now, keys)

    # ---- using paths -----------------------------------------------------------------------------

    def names(self, name: str) -> bool:
        """Whether code that was reached names something so."""
        return name in self.known_names

    def sees_through(self) -> bool:
        """Whether code that was reached may call what tells a stand-in from a number."""
        return (
            self.library is not None
            or self.by_identity
            or bool(_EXACT_TYPES & self.known_names)
            or (
                bool(_SEE_THROUGH & self.known_names)
                and any(_SEE_THROUGH & globals_in(code) for code in self.known_codes)
            )
        )

    def difference(self, other: Scan, followed: set[str]) -> tuple[list[str], str]:
        """Paths of numbers that differ, and in words what else does; empty where nothing does."""
        numbers = []
        for path, value in self.values.items():
            if path in followed:
                continue
            if path not in other.values:
                return [], f"{self.describe(path)} is there in one call and not in another"
            now = other.values[path]
            if not self.same(value, now):
                numbers.append(path)
        if len(self.values) != len(other.values):
            return [], "what the function can see differs"
        for path, size in self.sizes.items():
            if other.sizes.get(path) != size:
                words = f"the length of {self.describe(path)}: {size} -> {other.sizes.get(path)}"
                return numbers, words
        for path, keys in self.orders.items():
            if not self.in_order(other.orders.get(path, ()), keys):
                return numbers, f"the keys of {self.describe(path)} changed"
        if self.codes != other.codes:
            return numbers, "a function has other code"
        if {k: id(v) for k, v in self.kinds.items()} != {k: id(v) for k, v in other.kinds.items()}:
            return numbers, "an object has another class"
        if self.absent.keys() != other.absent.keys() or self.unset.keys() != other.unset.keys():
            return numbers, "what names stand for differs"
        for path, (_, contents) in self.arrays.items():
            if path not in other.arrays or other.arrays[path][1] != contents:
                return numbers, f"the contents of {self.describe(path)} changed"
        for path, tensor in self.tensor_paths.items():
            if other.tensor_paths.get(path) is not tensor:
                return numbers, f"{self.describe(path)} is another tensor; pass it as an argument"
        for path, thing in self.objects.items():
            now = other.objects.get(path)
            if now is not thing and (path.endswith(".__mro__") or not interchangeable(thing, now)):
                return numbers, f"{self.describe(path)} is another object in every call"
        return numbers, ""

    def reader(self, expressions: list[str]) -> Callable[[], tuple[Any, ...]]:
        """A function that reads these paths; it raises when one no longer exists."""
        space: dict[str, Any] = {"R": self.roots, "K": self.keys}
        exec(_reading("".join(f"{e}, " for e in expressions)), space)
        return space["read"]

    def describe(self, path: str) -> str:
        """A path as a user would write it."""
        if path.startswith("R[") and path.endswith(".cell_contents"):
            return "a variable of the enclosing function"
        if "].__dict__[" in path:
            return "." + path.rsplit(".__dict__[", 1)[1].rstrip("]").strip("'\"")
        return re.sub(r"['\"\]]", "", path.rsplit("[", 1)[-1])


@functools.lru_cache(1024)  # every capture of a function reads the same places
def _reading(inside: str) -> Any:
    return compile(f"def read():\n    return ({inside})", "<chainrule guard>", "exec")


def dict_of(thing: Any) -> dict[str, Any]:
    """The dictionary of an object, a module or a class: of a class, what its proxy shows; of a
    module of ours, the names that were used so far (`vars` would load all others)."""
    if isinstance(thing, ModuleType):
        return names_so_far(thing)
    found = vars(thing)
    return gc.get_referents(found)[0] if isinstance(thing, type) else found


_COMPARED = (str, int, float, complex, bytes, tuple)


def same_order(now: Any, keys: list[Any]) -> bool:
    """Whether these are the keys, in this order; 1, 1.0 and True are not the same, nor are 0s."""
    return len(now) == len(keys) and all(
        a is b or (isinstance(a, _COMPARED) and same_number(a, b))
        for a, b in zip(now, keys, strict=True)
    )


def same_objects(now: Any, keys: list[Any]) -> bool:
    """Whether these very objects are the keys, in this order."""
    return len(now) == len(keys) and all(map(operator.is_, now, keys))


def contents_of(buffer: Any) -> bytes:
    """The bytes of an array, with its type and shape."""
    if not isinstance(buffer, np.ndarray):
        buffer = memoryview(buffer)
        return f"{buffer.format}{buffer.shape}".encode() + buffer.tobytes()
    about = f"{buffer.dtype.str}{buffer.shape}{buffer.flags.num}"  # also whether it is writeable
    return about.encode() + buffer.tobytes()


def interchangeable(a: Any, b: Any) -> bool:
    """Whether only what is in them matters, which is looked at by itself."""
    if type(a) is not type(b):
        return False
    if isinstance(a, list | dict | tuple | set | frozenset | deque | np.ndarray):
        return True
    return hasattr(a, "__dict__") and is_users(type(a)) and not callable(a)
