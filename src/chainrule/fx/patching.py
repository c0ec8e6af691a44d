"""Attributes that are replaced while a program is traced, and restored afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..tensor import overriding

active_patchers: list[Patcher] = []
_ABSENT = object()


class Patcher:
    """Replaces attributes of classes and entries of dicts inside a `with` block."""

    def __init__(self) -> None:
        self._done: list[tuple[Any, str, Any, Any, bool]] = []
        self._visited: set[int] = set()

    def first_visit(self, space: Any) -> bool:
        """Whether these names were not looked through yet."""
        seen = id(space) in self._visited
        self._visited.add(id(space))
        return not seen

    def attribute(self, owner: Any, name: str, new: Any) -> None:
        """Replace an attribute of a class."""
        self._done.append((owner, name, vars(owner).get(name, _ABSENT), new, False))
        setattr(owner, name, new)

    def item(self, space: dict[str, Any], name: str, new: Any) -> None:
        """Replace an entry of a dict."""
        self._done.append((space, name, space.get(name, _ABSENT), new, True))
        space[name] = new

    def revert(self) -> None:
        """Restore everything, the last replacement first."""
        for owner, name, old, _, is_item in reversed(self._done):
            if old is _ABSENT:
                if is_item:
                    owner.pop(name, None)
                else:
                    delattr(owner, name)
            elif is_item:
                owner[name] = old
            else:
                setattr(owner, name, old)

    def apply_again(self) -> None:
        """Replace everything anew after `revert`."""
        for owner, name, _, new, is_item in self._done:
            if is_item:
                owner[name] = new
            else:
                setattr(owner, name, new)

    def __enter__(self) -> Patcher:
        active_patchers.append(self)
        return self

    def __exit__(self, *problem: Any) -> None:
        self.revert()
        active_patchers.remove(self)


@contextlib.contextmanager
def _maybe_revert_all_patches() -> Iterator[None]:
    """Inside, nothing is patched, whatever traces are going on."""
    standing = list(active_patchers)
    for patcher in reversed(standing):
        patcher.revert()
    try:
        yield
    finally:
        for patcher in standing:
            patcher.apply_again()


overriding.ASIDE.append(_maybe_revert_all_patches)
