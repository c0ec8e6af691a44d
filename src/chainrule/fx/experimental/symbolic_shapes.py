"""Sizes that are known only when a program runs: here every size is a number.

Programs that are written for both ask these questions before they branch; of a number each has one
plain answer.
"""

from __future__ import annotations

from typing import Any

from ...standins.finder import rest_of as _rest_of


class GuardOnDataDependentSymNode(RuntimeError):
    """Never raised here."""


class ConstraintViolationError(RuntimeError):
    """Never raised here."""


def guard_or_false(a: Any) -> bool:
    """Whether it is true."""
    return bool(a)


def guard_or_true(a: Any) -> bool:
    """Whether it is true."""
    return bool(a)


guard_size_oblivious = statically_known_true = guard_or_false


def guard_bool(a: Any) -> bool:
    """The truth value."""
    return bool(a)


def guard_int(a: Any) -> int:
    """The number."""
    return int(a)


def hint_int(a: Any, fallback: int | None = None) -> int:
    """The number."""
    return int(a)


def is_concrete_int(a: Any) -> bool:
    """Whether a size is a number: always."""
    return True


is_concrete_bool = is_concrete_float = is_concrete_int


def is_symbolic(val: Any) -> bool:
    """Whether a size is still unknown: never."""
    return False


def has_free_symbols(val: Any) -> bool:
    """Whether anything in it is still unknown: never."""
    return False


has_free_unbacked_symbols = has_free_symbols


def free_symbols(val: Any) -> set[Any]:
    """The sizes that are still unknown: none."""
    return set()


free_unbacked_symbols = free_symbols


def has_static_value(a: Any) -> bool:
    """Whether a size is known: always."""
    return True


def sym_eq(x: Any, y: Any) -> bool:
    """Whether two sizes, or tuples of them, are equal."""
    return x == y


__getattr__ = _rest_of(__name__)
