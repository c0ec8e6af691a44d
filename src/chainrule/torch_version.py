"""The version that `torch.__version__` reports while chainrule stands in for PyTorch."""

from __future__ import annotations

import re
from typing import Any


class TorchVersion(str):
    """A version string that compares by its numbers, with strings and tuples.

    >>> TorchVersion("2.13.0+chainrule") >= "2.5"
    True
    >>> TorchVersion("2.13.0+chainrule") < (2, 2)
    False
    """

    __slots__ = ()

    @property
    def release(self) -> tuple[int, ...]:
        """The numbers before any label."""
        return _release(self)

    def __lt__(self, other: Any) -> bool:
        return self._order(other) < 0

    def __le__(self, other: Any) -> bool:
        return self._order(other) <= 0

    def __gt__(self, other: Any) -> bool:
        return self._order(other) > 0

    def __ge__(self, other: Any) -> bool:
        return self._order(other) >= 0

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str) and str.__eq__(self, other):
            return True
        return isinstance(other, str | tuple) and self._order(other) == 0

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def _order(self, other: Any) -> int:
        """-1, 0 or 1; a local label such as `+chainrule` makes a version later, as in PEP 440."""
        mine, theirs = _release(self), _release(other)
        longest = max(len(mine), len(theirs))
        mine_full = mine + (0,) * (longest - len(mine))
        theirs_full = theirs + (0,) * (longest - len(theirs))
        first, second = (mine_full, _label(self)), (theirs_full, _label(other))
        return (first > second) - (first < second)


def _release(version: Any) -> tuple[int, ...]:
    if isinstance(version, str):
        numbers = re.match(r"v?(\d+(?:\.\d+)*)", version)
        if numbers is None:
            raise ValueError(f"Invalid version: {version!r}")
        return tuple(int(n) for n in numbers[1].split("."))
    return tuple(int(n) for n in version)


def _label(version: Any) -> str:
    return version.partition("+")[2] if isinstance(version, str) else ""
