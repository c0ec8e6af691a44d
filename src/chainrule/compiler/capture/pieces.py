"""Small questions that a walk (`walk.py`) asks of objects, past what their own methods say."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any


def shown_by(value: Any) -> set[str]:
    """Names of what an object made in C shows besides its dictionary."""
    return {*dir(type(value))} - {*getattr(value, "__dict__", ())}


def strings(value: Any) -> list[str]:
    """The names that an `attrgetter` or a `methodcaller` was made of."""
    parts = [part for part in value.__reduce__() if isinstance(part, tuple)]
    return [word for part in parts for word in part if type(word) is str]


def items_of(value: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    """The items in their order, whatever the methods of a subclass say."""
    for kind in (OrderedDict, dict):  # an OrderedDict has an order of its own
        if isinstance(value, kind):
            return kind.items(value)  # pyright: ignore[reportArgumentType]
    return value.items()


EMPTY = object()
DICT_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))


def content_of(cell: Any) -> Any:
    """What a variable of an enclosing function stands for; EMPTY before it is assigned."""
    try:
        return cell.cell_contents
    except ValueError:  # not filled yet
        return EMPTY
