"""Names of PyTorch that stand for something a CPU in one process cannot do.

Programs import such names long before they use them, and most never do: importing works. What
happens on use is declared in one table (`rows.py`), row by row: a *refused* name raises and says
what it would need; an *inert* name does nothing, because there is nothing to do; an *answer* is the
plain truth ("no", 0, None). `docs/inert.md` is written from the same table.

Modules that consist of such names have no file: `finder.py` makes them when they are imported. A
module with code of its own adds its rows at its end: `add_to(globals())`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any


def members_of(module: str) -> dict[str, Any]:
    """The objects for all names that the table has in a module, named without `chainrule.`."""
    from .table import by_module

    rows = by_module().get(module, [])
    return {name: value for row in rows for name, value in row.members(module).items()}


def add_to(space: dict[str, Any]) -> None:
    """Give a module, by its `globals()`, the names that the table has for it."""
    module = space["__name__"].partition(".")[2]
    found = members_of(module)
    # A function may have the name of the module it is in, which importing it has just set.
    own = {name for name, value in space.items() if not isinstance(value, ModuleType)}
    doubled = sorted(found.keys() & own)
    if doubled:
        raise AssertionError(f"{space['__name__']} defines {doubled}, which the table refuses")
    space.update(found)


__all__ = ["add_to", "members_of"]
