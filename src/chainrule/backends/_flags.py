"""Switches that may be set for a block."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any


def flags_of(space: dict[str, Any]) -> Callable[..., Any]:
    """A context manager that sets names of a module and puts the old values back."""

    @contextlib.contextmanager
    def flags(**settings: Any) -> Iterator[None]:
        """Set switches inside a `with` block."""
        unknown = sorted(name for name in settings if name not in space)
        if unknown:
            raise TypeError(f"flags() got an unexpected keyword argument {unknown[0]!r}")
        before = {name: space[name] for name in settings}
        space.update(settings)
        try:
            yield
        finally:
            space.update(before)

    return flags
