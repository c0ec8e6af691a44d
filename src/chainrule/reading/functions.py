"""The function that a command line names: `model.py:revenue` or `package.module:revenue`."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any


class NoSuchFunction(ValueError):
    """The text names no function that can be loaded; says why."""


def load_function(target: str) -> Any:
    """Load what `file.py:name` or `module:name` says."""
    place, colon, name = target.rpartition(":")
    if not colon or not place or not name:
        raise NoSuchFunction(
            f"{target!r} names no function; write model.py:revenue or module:revenue"
        )
    module = _from_file(place) if place.endswith(".py") else _by_name(place)
    found: Any = module
    for part in name.split("."):
        if not hasattr(found, part):
            functions = [n for n, v in vars(module).items() if callable(v) and n[0] != "_"]
            have = ", ".join(functions) or "no functions"
            raise NoSuchFunction(f"{place} has no {name!r}; it has {have}")
        found = getattr(found, part)
    return found


def _by_name(place: str) -> Any:
    sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(place)
    except ImportError as problem:
        raise NoSuchFunction(f"{place} cannot be imported: {problem}") from None


def _from_file(place: str) -> Any:
    path = Path(place)
    if not path.is_file():
        raise NoSuchFunction(f"there is no file {place}")
    sys.path.insert(0, str(path.resolve().parent))  # its neighbours can be imported
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)
    spec.loader.exec_module(module)
    return module


__all__ = ["NoSuchFunction", "load_function"]
