"""Short words to write rows with."""

from __future__ import annotations

import contextlib
from typing import Any

from ..kinds import Answer, Inert, Reason, Refused, Same


def refused(module: str, reason: Reason, names: str) -> Refused:
    """Names whose use raises."""
    return Refused(module, tuple(names.split()), reason)


def same(module: str, of: str, names: str = "") -> Same:
    """Names that live in another module of ours; all of its public ones when none is named."""
    return Same(module, tuple(names.split()), of)


def answer(module: str, value: Any, names: str, why: str) -> Answer:
    """Functions that answer a question with a constant."""
    return Answer(module, tuple(names.split()), value, why)


def constant(module: str, why: str = "a constant of PyTorch", **values: Any) -> list[Answer]:
    """Values that are not called."""
    return [Answer(module, (name,), value, why, calls=False) for name, value in values.items()]


def nothing(module: str, names: str, why: str) -> Inert:
    """Functions that do nothing."""
    return Inert(module, tuple(names.split()), why)


def empty(module: str) -> Inert:
    """A module that can be imported and holds no public names."""
    return Inert(module, (), "holds no public names")


def context(module: str, names: str, why: str) -> Inert:
    """Context managers (and decorators) that do nothing."""
    return Inert(module, tuple(names.split()), why, _unchanged_block)


@contextlib.contextmanager
def _unchanged_block(*args: Any, **kwargs: Any) -> Any:
    yield


def first_argument(module: str, names: str, why: str) -> Inert:
    """Functions that give back what they are given, such as decorators that only mark."""
    return Inert(module, tuple(names.split()), why, _given_back)


def _given_back(*args: Any, **kwargs: Any) -> Any:
    """`@mark` and `@mark(option)` alike."""
    if args and callable(args[0]):
        return args[0]
    return lambda function: function


def rows(reason: Reason, text: str) -> list[Refused | Same | Inert]:
    """Rows from lines: `module: names` are refused, `module = home: names` live elsewhere."""
    found: list[Refused | Same | Inert] = []
    for line in text.replace("\n    ", " ").strip().splitlines():  # indented lines go on
        place, _, names = line.partition(":")
        module, _, home = (part.strip() for part in place.partition("="))
        if home:
            found.append(same(module, home, names))
        else:
            found.append(refused(module, reason, names) if names.strip() else empty(module))
    return found
