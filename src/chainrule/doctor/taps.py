"""Listening in on the library's own functions while the doctor watches, and only then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MISSING = object()
_ACTIVE: list[Taps] = []


class Taps:
    """Functions that were replaced, so that each can be put back, in any order: two programs may be
    watched at once, and the first one ends first."""

    def __init__(self) -> None:
        self._replaced: list[tuple[Any, str, Any, Any]] = []

    def replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        """Let `owner.name` be `make(what it was)`."""
        original = vars(owner).get(name, _MISSING)
        current = getattr(owner, name)
        made = make(current)
        made.__name__ = getattr(current, "__name__", name)
        made.__doc__ = current.__doc__
        made.__wrapped__ = current
        setattr(owner, name, made)
        self._note(owner, name, original, made)

    def before(self, owner: Any, name: str, listen: Callable[..., None]) -> None:
        """Call `listen(*args, **kwargs)` before `owner.name` runs."""

        def make(original: Any) -> Any:
            def tapped(*args: Any, **kwargs: Any) -> Any:
                listen(*args, **kwargs)
                return original(*args, **kwargs)

            return tapped

        self.replace(owner, name, make)

    def after(self, owner: Any, name: str, listen: Callable[..., None]) -> None:
        """Call `listen(result, *args, **kwargs)` after `owner.name` ran."""

        def make(original: Any) -> Any:
            def tapped(*args: Any, **kwargs: Any) -> Any:
                result = original(*args, **kwargs)
                listen(result, *args, **kwargs)
                return result

            return tapped

        self.replace(owner, name, make)

    def getter(self, owner: Any, name: str, listen: Callable[..., None]) -> None:
        """Call `listen(result, object)` after the property `owner.name` was read."""
        was: property = vars(owner)[name]

        def tapped(self: Any) -> Any:
            result = was.fget(self)  # type: ignore[misc]
            listen(result, self)
            return result

        self._exchange(owner, name, property(tapped, was.fset, was.fdel, was.__doc__))

    def setter(self, owner: Any, name: str, listen: Callable[..., None]) -> None:
        """Call `listen(object, value)` before the property `owner.name` is set."""
        was: property = vars(owner)[name]

        def tapped(self: Any, value: Any) -> None:
            listen(self, value)
            was.fset(self, value)  # type: ignore[misc]

        self._exchange(owner, name, property(was.fget, tapped, was.fdel, was.__doc__))

    def _exchange(self, owner: Any, name: str, made: property) -> None:
        self._note(owner, name, vars(owner)[name], made)
        setattr(owner, name, made)

    def _note(self, owner: Any, name: str, original: Any, made: Any) -> None:
        if not self._replaced:
            _ACTIVE.append(self)
        self._replaced.append((owner, name, original, made))

    def remove(self) -> None:
        """Put everything back; what others replaced once more, they will put back further."""
        if self in _ACTIVE:
            _ACTIVE.remove(self)
        while self._replaced:
            owner, name, original, made = self._replaced.pop()
            if vars(owner).get(name) is not made:
                _inherit(owner, name, original, made)
            elif original is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, original)


def _inherit(owner: Any, name: str, original: Any, made: Any) -> None:
    """Let whoever replaced `made` put back what `made` itself stood for."""
    for taps in _ACTIVE:
        for at, (other, its_name, below, its_made) in enumerate(taps._replaced):
            if other is owner and its_name == name and below is made:
                taps._replaced[at] = (owner, name, original, its_made)


__all__ = ["Taps"]
