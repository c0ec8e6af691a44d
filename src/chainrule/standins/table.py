"""All rows, looked up by module."""

from __future__ import annotations

import functools

from .kinds import Row


@functools.cache
def by_module() -> dict[str, list[Row]]:
    """Every row, by its module; packages that only hold others have an empty list."""
    from .rows import (
        choices,
        core,
        devices,
        distributed,
        inner,
        libraries,
        quantization,
        script,
        tools,
    )

    found: dict[str, list[Row]] = {}
    parts = (choices, core, devices, distributed, inner, libraries, quantization, script, tools)
    for row in (row for part in parts for row in part.ROWS):
        found.setdefault(row.module, []).append(row)
    for module in list(found):
        while module := module.rpartition(".")[0]:
            found.setdefault(module, [])
    return found


@functools.cache
def packages() -> frozenset[str]:
    """Modules of the table that hold others."""
    return frozenset(module.rpartition(".")[0] for module in by_module())


def heading(module: str) -> str:
    """The docstring of a module that has no file."""
    return (
        f"`torch.{module}`: names that programs import. What they do when used is declared in "
        "`chainrule.standins.rows` and listed in docs/inert.md."
    )
