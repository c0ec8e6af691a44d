"""Modules of settings that PyTorch programs write: kept, and said to change nothing."""

from __future__ import annotations

import contextlib
import functools
from typing import Any


class patched(contextlib.ContextDecorator):
    """Other values inside a block or a function: `config.patch(x=1)`, `patch("x", 1)`."""

    def __init__(self, space: dict[str, Any], *pair: Any, **changes: Any) -> None:
        if len(pair) == 1:
            changes = {**dict(pair[0]), **changes}
        elif pair:
            changes = {pair[0]: pair[1], **changes}
        self.space, self.changes = space, changes
        self.before: list[dict[str, Any]] = []

    def __enter__(self) -> None:
        self.before.append({name: self.space.get(name) for name in self.changes})
        self.space.update(self.changes)

    def __exit__(self, *problem: Any) -> None:
        self.space.update(self.before.pop())


def patch_of(space: dict[str, Any]) -> Any:
    """The `patch` of a module of settings, by its `globals()`."""
    return functools.partial(patched, space)
