"""PyTorch's public names as recorded, and which of them chainrule lacks."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import chainrule.run

HERE = Path(__file__).resolve().parent
MISSING_FILE = HERE / "names_missing.txt"


def blocks(path: Path) -> dict[str, list[str]]:
    """The lines below each module's line."""
    found: dict[str, list[str]] = {}
    below: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):
            below.append(line.strip())
        elif not line.startswith("#"):
            below = found.setdefault(line, [])
    return found


def name_of(line: str) -> str:
    """`f` of `def f(a, b=)`."""
    return line.split()[1].partition("(")[0]


RECORDED = blocks(HERE / "recorded" / "names.txt")


def lacking() -> dict[str, set[str]]:
    """The modules that lack something, and what."""
    found = {}
    with chainrule.run.installed():
        modules = {module: imported(module) for module in RECORDED}
        for module, lines in RECORDED.items():
            here, names = modules[module], {name_of(line) for line in lines}
            lacks = names if here is None else {n for n in names if not has(here, n)}
            if here is None or lacks:
                found[module] = lacks
    return found


def imported(module: str) -> ModuleType | None:
    """A module of `torch`, or None where there is none."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError:
        return None


def has(module: ModuleType, name: str) -> bool:
    """Whether a module has a name."""
    try:
        getattr(module, name)
    except AttributeError:
        return False
    return True
