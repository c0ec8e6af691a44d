"""Tables that do not keep their objects alive, in which Ctrl-C is never lost.

Python's own run Python code whenever an object ends. A KeyboardInterrupt that arrives just then is
printed as ignored, and the program goes on. Here an object's end is noted by C code
(`list.append`), and the entry goes when the table is used next.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import KeyedRef


class WeakTable:
    """Values by the object they belong to, for as long as it lives.

    >>> class Thing: ...
    >>> table, thing = WeakTable(), Thing()
    >>> table[thing] = 1
    >>> table.get(thing), len(table)
    (1, 1)
    >>> del thing
    >>> len(table)
    0
    """

    __slots__ = ("_ended", "_held")

    def __init__(self) -> None:
        self._held: dict[int, tuple[Any, Any]] = {}  # id -> the reference, the value
        self._ended: list[Any] = []

    def _current(self) -> dict[int, tuple[Any, Any]]:
        while self._ended:
            reference = self._ended.pop()
            if self._held.get(reference.key, (None,))[0] is reference:
                del self._held[reference.key]
        return self._held

    def __setitem__(self, thing: Any, value: Any) -> None:
        self._current()[id(thing)] = KeyedRef(thing, self._ended.append, id(thing)), value

    def __delitem__(self, thing: Any) -> None:
        del self._current()[id(thing)]

    def get(self, thing: Any, default: Any = None) -> Any:
        """The value that belongs to an object."""
        return self._current().get(id(thing), (None, default))[1]

    def __contains__(self, thing: Any) -> bool:
        return id(thing) in self._current()

    def __iter__(self) -> Iterator[Any]:
        """The objects that are alive."""
        found = (reference() for reference, _ in list(self._current().values()))
        return (thing for thing in found if thing is not None)

    def values(self) -> list[Any]:
        """The values of the objects that are alive."""
        return [value for _, value in self._current().values()]

    def __len__(self) -> int:
        return len(self._current())


class WeakValues:
    """Objects by a key, for as long as somebody else keeps them.

    >>> class Thing: ...
    >>> known, thing = WeakValues(), Thing()
    >>> known["a"] = thing
    >>> known.get("a") is thing
    True
    >>> del thing
    >>> known.get("a") is None
    True
    """

    __slots__ = ("_ended", "_held")

    def __init__(self) -> None:
        self._held: dict[Any, Any] = {}
        self._ended: list[Any] = []

    def __setitem__(self, key: Any, thing: Any) -> None:
        while self._ended:
            reference = self._ended.pop()
            if self._held.get(reference.key) is reference:
                del self._held[reference.key]
        self._held[key] = KeyedRef(thing, self._ended.append, key)

    def get(self, key: Any) -> Any:
        """The object, or None."""
        reference = self._held.get(key)
        return None if reference is None else reference()
