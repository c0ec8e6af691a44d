"""The names in a pickle, found by following it: no call, no tensor, no storage is made."""

from __future__ import annotations

from typing import Any

from . import allowed, instructions
from .limits import brief, clipped
from .machine import Machine, Refused


class _Unmade(list):  # a list: pickles append to what calls return, too
    """Stands for what a call would have made."""

    __hash__ = object.__hash__  # type: ignore[assignment]

    def update(self, items: Any) -> None:
        """Takes what is put into it and forgets it."""

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def append(self, value: Any) -> None: ...

    def extend(self, values: Any) -> None: ...


class _Survey(Machine):
    """A machine that notes names; what is made by calls stays unmade."""

    def __init__(self, stream: Any) -> None:
        super().__init__(stream, lambda identity: None)
        self.names: set[str] = set()

    def find(self, module: Any, name: Any) -> Any:
        if type(module) is not str or type(name) is not str:
            self.names.add(f"a name that is computed from {brief((module, name))}")
        else:
            self.names.add(self.full_name(module, name))
        self.spending.objects(300)
        return Refused("", "")

    def call(self, function: Any, args: Any, kwargs: Any = None) -> Any:
        self.spending.objects(200)
        return _Unmade()

    def persistent(self, identity: Any) -> Any:
        self.spending.objects(200)
        return _Unmade()

    def set_state(self, target: Any, state: Any) -> None: ...

    def new(self, kind: Any, args: Any, kwargs: Any) -> Any:
        return self.call(kind, args, kwargs)

    def target(self, *kinds: type) -> Any:
        found = self.stack[-1]
        if type(found) in kinds:
            return found
        self.spending.objects(200)
        return _Unmade()


def names_in(stream: Any) -> list[str]:
    """The names in a pickle that `load` would refuse, sorted."""
    machine = _Survey(stream)
    instructions.run(machine)
    return sorted(clipped(name) for name in machine.names if allowed.find(name) is None)
