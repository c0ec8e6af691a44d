"""Package modules such as `chainrule.linalg`, filled from the public table when first asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .api import functions_of


def filled_on_demand(
    space: dict[str, Any], namespace: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` for a module whose functions are those of `namespace`."""

    def fill() -> None:
        for name, function in functions_of(namespace).items():
            space.setdefault(name, function)

    def attribute(name: str) -> Any:
        if name == "__all__":  # a star import
            return names()
        if name.startswith("__"):  # asked for by the import system; not worth filling
            raise AttributeError(f"module {space['__name__']!r} has no attribute {name!r}")
        fill()
        if name not in space:
            raise AttributeError(f"module {space['__name__']!r} has no attribute {name!r}")
        return space[name]

    def names() -> list[str]:
        fill()
        return sorted(n for n in space if not n.startswith("_"))

    return attribute, names
