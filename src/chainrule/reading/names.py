"""Names for tensors from the variables of the program that is running.

`Names.here()` looks at the frames of the user's program, innermost first, then at its globals: a
tensor is called as the variable that holds it, a parameter as its module calls it
(`model.fc.weight`). What a variable still holds also gives the value of a node, which
the tape itself need not keep.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..autograd import source
from ..autograd.node import OutSlot
from ..autograd.value import TensorBase
from ..nn.modules.module import Module

MOST_FRAMES = 20
MOST_ENTRIES = 1000  # of a list or dict of tensors that are looked at


class Names:
    """Which variable holds a tensor; built once per report."""

    def __init__(self) -> None:
        self._tensors: dict[int, str] = {}
        self._held: dict[tuple[int, int], tuple[str, Any]] = {}  # (node key, output) -> name, value
        self._keep: list[Any] = []  # ids stay valid as long as this object lives
        self.modules: dict[str, Any] = {}  # the outermost modules, by variable

    @classmethod
    def here(cls, module: Any = None) -> Names:
        """The names in the user's frames above this call; a module given comes first."""
        names = cls()
        if module is not None:
            names.add_module("", module)
        frame = source.user_frame()
        seen: list[Mapping[str, Any]] = []
        for _ in range(MOST_FRAMES):
            if frame is None:
                break
            if not source.is_library(frame.f_code.co_filename):
                names.add_variables(frame.f_locals)
                seen.append(frame.f_globals)
            frame = frame.f_back
        for variables in seen:
            names.add_variables(variables)
        return names

    def add_variables(self, variables: Mapping[str, Any]) -> None:
        """Take the names of a frame; those that are known already stay."""
        for name, value in list(variables.items()):
            if name.startswith("__"):
                continue
            if isinstance(value, TensorBase):
                self.add(name, value)
            elif isinstance(value, Module):
                self.add_module(name, value)
            elif value.__class__ in (list, tuple) and len(value) <= MOST_ENTRIES:
                self._add_entries(name, enumerate(value))
            elif value.__class__ is dict and len(value) <= MOST_ENTRIES:
                self._add_entries(name, value.items())

    def _add_entries(self, name: str, entries: Iterable[tuple[Any, Any]]) -> None:
        for key, value in list(entries):
            if isinstance(value, TensorBase):
                self.add(f"{name}[{key!r}]", value)

    def add_module(self, name: str, module: Any) -> None:
        """Name the parameters and buffers of a module as its state_dict does."""
        if name in self.modules or any(m is module for m in self.modules.values()):
            return
        self.modules[name] = module
        for path, tensor in [*module.named_parameters(), *module.named_buffers()]:
            self.add(f"{name}.{path}" if name else path, tensor)

    def add(self, name: str, tensor: Any) -> None:
        """Call a tensor by this name unless it has one."""
        if id(tensor) in self._tensors:
            return
        self._tensors[id(tensor)] = name
        self._keep.append(tensor)
        made_by = tensor._node
        if made_by is not None:
            key = (
                (made_by.node.key, made_by.nr) if made_by.__class__ is OutSlot else (made_by.key, 0)
            )
            self._held.setdefault(key, (name, tensor))

    def hold(self, key: int, nr: int, tensor: Any) -> None:
        """Keep a node's result although no variable holds it: `held` finds it."""
        self._held.setdefault((key, nr), ("", tensor))

    def of_tensor(self, tensor: Any) -> str:
        """The variable that holds a tensor, or ''."""
        return self._tensors.get(id(tensor), "")

    def of_node(self, key: int, nr: int = 0) -> str:
        """The variable that holds a node's output, or ''."""
        return self._held.get((key, nr), ("", None))[0]

    def held(self, key: int, nr: int = 0) -> Any:
        """The tensor a variable holds that this node made, or None."""
        return self._held.get((key, nr), ("", None))[1]


__all__ = ["Names"]
