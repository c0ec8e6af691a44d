"""Puts stand-ins for numbers in the places they are read from, for the time of one traced call."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from types import CellType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

from .followed import Expression, Follower, plain_value
from .sight import Place, Scan
from .unseen import is_written_in_python


def followable(scan: Scan, path: str) -> bool:
    """Whether a number lies there that a stand-in can take the place of."""
    value = scan.values.get(path)
    if type(value) not in (int, float) or value != value:  # containers find a NaN by identity
        return False
    place = scan.places.get(path)
    while place is not None and isinstance(place.container, tuple):
        place = scan.places.get(place.owner)  # a tuple is made anew, in its own place
    return place is not None and place.key is not None and _is_writable(place)


def _is_writable(place: Place) -> bool:
    container = place.container
    if place.access.startswith("["):
        return type(container) is dict or isinstance(container, list | deque | dict)
    if isinstance(container, type | ModuleType | CellType):
        return True
    if isinstance(container, FunctionType):
        return place.key in ("__defaults__", "__kwdefaults__")
    slot = getattr(type(container), str(place.key), None)
    return isinstance(slot, MemberDescriptorType) and is_written_in_python(type(container))


@contextmanager
def standing_in(scan: Scan, paths: set[str], follower: Follower) -> Iterator[None]:
    """Inside, the numbers at these paths are followed."""
    before: list[tuple[Place, Any, Any]] = []
    try:
        for path in sorted(paths):
            number = follower.number(scan.values[path], Expression("path", path))
            _put(scan, scan.places[path], number, before)
            del number
        yield
    finally:
        for place, value, stand_in in reversed(before):
            now = place.get()
            # What the function put there itself stays.
            place.put(value if now is stand_in else plain_value(now))
        before.clear()


def _put(scan: Scan, place: Place, value: Any, before: list[tuple[Place, Any, Any]]) -> None:
    if isinstance(place.container, tuple):
        outer = scan.places[place.owner]
        now = outer.get()  # another number of this tuple may be followed already
        items = [value if i == place.key else item for i, item in enumerate(now)]
        kind = type(place.container)
        renewed = kind(*items) if hasattr(kind, "_fields") else kind(items)
        _put(scan, outer, renewed, before)
        return
    before.append((place, place.get(), value))
    place.put(value)
