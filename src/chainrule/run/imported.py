"""Names that a module of PyTorch has only because it imports them, as `F` in `torch.functional`.

Programs import from wherever a name was seen first: `from torch.nn.modules.dropout import Module`.
`imported.txt` says where such a name is at home; it is read when a look-up fails elsewhere.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import sys
from pathlib import Path
from typing import Any


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """By module of PyTorch: the names that it imports, each with its path."""
    found: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    text = Path(__file__).with_name("imported.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith(" "):
            names = found.setdefault(line, {})
            continue
        home, *words = line.split()
        for word in words:
            name, _, other = word.partition("=")
            names[name] = other or f"{home}.{name}"
    return found


def found_in(module: str, name: str) -> Any:
    """What PyTorch's module has under a name that it imports; None where there is none."""
    path = table().get(module, {}).get(name)
    return None if path is None else found_at(path)


def found_at(path: str) -> Any:
    """The module, or the member of a module, at a path; None where there is none."""
    if path in sys.modules or "." not in path:
        return _module(path)
    home, _, name = path.rpartition(".")
    found = _module(home)
    value = None if found is None else getattr(found, name, None)
    return _module(path) if value is None else value


def _module(path: str) -> Any:
    try:
        return importlib.import_module(path)
    except ImportError:
        return None


__all__ = ["found_at", "found_in", "table"]
