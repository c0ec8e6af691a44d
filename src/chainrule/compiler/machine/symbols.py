"""Functions that machine code calls by name.

The module that makes such a function says so here, whoever links code asks here: neither knows the
other.
"""

from __future__ import annotations

from collections.abc import Callable

_MAKERS: dict[str, Callable[[str], int | None]] = {}  # by the beginning of the name


def provide(beginning: str, find: Callable[[str], int | None]) -> None:
    """`find` gets the rest of a name that begins so, and gives the function's address or None."""
    _MAKERS[beginning] = find


def symbol(name: str) -> int | None:
    """The address of a function that compiled code calls by name; None if it is not ours."""
    for beginning, find in _MAKERS.items():
        if name.startswith(beginning):
            return find(name.removeprefix(beginning))
    return None
