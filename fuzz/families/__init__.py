"""The families of programs, by name.

A family is a module with `generate(seed)`, which makes the program of a seed, `check(program,
oracle=None, ...)`, which returns "ok" or "invalid" or raises Disagreement, and `WEIGHT`, its share
when all families are run. A program has `text()`, `script()` and `smaller()`.
"""

from __future__ import annotations

import importlib
from typing import Any

NAMES = (
    "straight", "inplace", "hooks", "roots", "batched", "reductions", "half", "edges", "layouts",
    "layers", "fused", "mixed", "state",
)  # fmt: skip


def family(name: str) -> Any:
    """The module of a family."""
    return importlib.import_module(f"{__name__}.{name}")


def turns(names: str = "all") -> list[str]:
    """Names in the order in which programs of these families are made."""
    chosen = NAMES if names == "all" else names.split(",")
    return [name for name in chosen for _ in range(family(name).WEIGHT)]
