"""The version that `torch.__version__` reports while chainrule stands in for PyTorch."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

# The parts of a version as PEP 440 writes them: epoch, release, pre, post, dev, local.
_PARTS = re.compile(
    r"\s*v?(?:(\d+)!)?(\d+(?:\.\d+)*)"
    r"(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?"
    r"(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?"
    r"(?:[-_.]?(dev)[-_.]?(\d*))?"
    r"(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?\s*",
    re.IGNORECASE,
)
_STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "rc": 2, "pre": 2, "preview": 2}
_BEFORE, _AFTER = (-1, 0), (9, 0)


class TorchVersion(str):
    """A version string that compares by its numbers, with strings, tuples and version objects.

    What is no version compares as a string, so that a placeholder such as "N/A" is just different.

    >>> TorchVersion("2.13.0+chainrule") >= "2.5"
    True
    >>> TorchVersion("2.13.0+chainrule") < (2, 2)
    False
    >>> TorchVersion("2.13.0+chainrule") == "N/A"
    False
    """

    __slots__ = ()

    @property
    def release(self) -> tuple[int, ...]:
        """The numbers before any label."""
        found = _PARTS.fullmatch(self)
        return tuple(int(n) for n in found[2].split(".")) if found else ()

    def __lt__(self, other: Any) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order < 0

    def __le__(self, other: Any) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order <= 0

    def __gt__(self, other: Any) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order > 0

    def __ge__(self, other: Any) -> bool:
        order = self._order(other)
        return NotImplemented if order is None else order >= 0

    def __eq__(self, other: object) -> bool:
        return self._order(other) == 0

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = str.__hash__

    def _order(self, other: Any) -> int | None:
        """-1, 0 or 1; None where the other thing is neither a text, nor numbers, nor a version."""
        text = _as_text(other)
        if text is None:
            return None
        mine, theirs = _key(self), _key(text)
        if mine is None or theirs is None:
            mine, theirs = (str(self),), (text,)
        return (mine > theirs) - (mine < theirs)


def _as_text(version: Any) -> str | None:
    if isinstance(version, str):
        return str(version)
    if isinstance(getattr(version, "release", None), tuple):  # a `packaging` version
        return str(version)
    if isinstance(version, Iterable):
        numbers = list(version)
        if all(isinstance(n, int | str) for n in numbers):
            return ".".join(str(n) for n in numbers)
    return None


def _key(version: str) -> tuple[Any, ...] | None:
    """What orders versions; a local label such as `+chainrule` makes a version later."""
    found = _PARTS.fullmatch(version)
    if found is None:
        return None
    epoch, release, stage, number, post, word, revision, dev, day, local = found.groups()
    numbers = [int(n) for n in release.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    if stage:
        pre = (_STAGES[stage.lower()], int(number or 0))
    else:
        pre = _BEFORE if dev and not (post or word) else _AFTER
    after = (int(post or revision or 0),) if post or word else ()
    until = (int(day or 0), 0) if dev else _infinity
    return int(epoch or 0), numbers, pre, after, until, _local_key(local)


_infinity = (float("inf"), 0)


def _local_key(local: str | None) -> tuple[tuple[int, int, str], ...]:
    """Numbers come after words, and anything after nothing."""
    words = re.split(r"[-_.]", local.lower()) if local else []
    return tuple((1, int(w), "") if w.isdecimal() else (0, 0, w) for w in words)
