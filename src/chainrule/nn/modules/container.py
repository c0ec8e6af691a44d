"""Modules that hold modules, or parameters, in order or by name."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, Self

from ...autograd import refusal
from ...autograd.accidents import explain_module
from ...autograd.source import warn_user
from .module import Module, _addindent
from .parameter_container import ParameterDict, ParameterList, check_pairs


class Container(Module):
    """Deprecated: a Module with named children given as keywords."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warn_user(
            "nn.Container is deprecated. All of it's functionality is now implemented in "
            "nn.Module. Subclass that instead.",
            FutureWarning,
        )
        for key, value in kwargs.items():
            self.add_module(key, value)


class Sequential(Module):
    """Modules called one after the other, each with the result of the one before.

    >>> import chainrule as torch
    >>> from chainrule import nn
    >>> model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    >>> model(torch.ones(5, 2)).shape
    torch.Size([5, 1])
    >>> model[:2]
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    _modules: dict[str, Module]  # type: ignore[assignment]

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for key, module in args[0].items():
                self.add_module(key, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input: Any) -> Any:
        """The input through all modules in order."""
        for module in self._modules.values():
            input = module(input)
        return input

    def _key(self, index: Any) -> str:
        """The name of the module at a position, counted from the end if negative."""
        size, i = len(self), operator.index(index)
        if not -size <= i < size:
            raise refusal.index(f"index {i} is out of range: there are {size} modules")
        return next(islice(self._modules, i % size, None))

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(OrderedDict(list(self._modules.items())[idx]))
        return self._modules[self._key(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._key(idx), module)

    def __delitem__(self, idx: Any) -> None:
        if isinstance(idx, slice):
            for key in list(self._modules)[idx]:
                delattr(self, key)
        else:
            delattr(self, self._key(idx))
        self._renumber()

    def _renumber(self) -> None:
        """Names become positions again."""
        self._modules = {str(i): m for i, m in enumerate(self._modules.values())}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def __add__(self, other: Any) -> Sequential:
        self._check_other("add", other)
        return _numbered(Sequential(), [*self, *other])

    def __iadd__(self, other: Any) -> Self:
        self._check_other("add", other)
        offset = len(self)
        for i, module in enumerate(list(other)):
            self.add_module(str(i + offset), module)
        return self

    @staticmethod
    def _check_other(what: str, other: Any) -> None:
        if not isinstance(other, Sequential):
            raise ValueError(
                f"{what} operator supports only objects of Sequential class, but "
                f"{type(other)} is given."
            )

    @staticmethod
    def _check_times(other: Any) -> None:
        if not isinstance(other, int):
            raise TypeError(
                "unsupported operand type(s) for *: "
                f"{type(Sequential)} and {type(other)}: repeat by a whole number"
            )
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {Sequential}")

    def __mul__(self, other: int) -> Sequential:
        self._check_times(other)
        return _numbered(Sequential(), list(self) * other)

    def __rmul__(self, other: int) -> Sequential:
        return self.__mul__(other)

    def __imul__(self, other: int) -> Self:
        self._check_times(other)
        modules, size = list(self), len(self)
        for i in range(size, size * other):
            self.add_module(str(i), modules[i % size])
        return self

    def pop(self, key: int | slice) -> Module:
        """Remove and return the module at a position."""
        module = self[key]
        del self[key]
        return module

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Add a module before a position."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self._modules)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self._modules.values())
        modules.insert(index + size if index < 0 else index, module)
        self._modules = {str(i): m for i, m in enumerate(modules)}
        return self

    def extend(self, sequential: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in list(sequential):
            self.append(module)
        return self


def _numbered(made: Any, modules: Iterable[Module]) -> Any:
    for i, module in enumerate(modules):
        made.add_module(str(i), module)
    return made


class ModuleList(Module):
    """A list of modules whose parameters are found; it has no forward.

    >>> from chainrule import nn
    >>> nn.ModuleList([nn.ReLU() for _ in range(3)])
    ModuleList(
      (0-2): 3 x ReLU()
    )
    """

    _modules: dict[str, Module]  # type: ignore[assignment]

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def _get_abs_string_index(self, idx: Any) -> str:
        size, i = len(self), operator.index(idx)
        if not -size <= i < size:
            raise refusal.index(f"index {i} is out of range: there are {size} modules")
        return str(i % size)

    def __getitem__(self, idx: Any) -> Any:
        if isinstance(idx, slice):
            return type(self)(list(self._modules.values())[idx])
        return self._modules[self._get_abs_string_index(idx)]

    def __setitem__(self, idx: int, module: Module) -> None:
        setattr(self, self._get_abs_string_index(idx), module)

    def __delitem__(self, idx: Any) -> None:
        if isinstance(idx, slice):
            for i in range(len(self._modules))[idx]:
                delattr(self, str(i))
        else:
            delattr(self, self._get_abs_string_index(idx))
        self._modules = {str(i): m for i, m in enumerate(self._modules.values())}

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return _numbered(ModuleList(), chain(self, other))

    def __dir__(self) -> list[str]:
        return [key for key in super().__dir__() if not key.isdigit()]

    def __repr__(self) -> str:
        """Equal neighbours are shown once, with their positions and number."""
        if len(self) == 0:
            return self._get_name() + "()"
        blocks: list[tuple[int, int, str]] = []
        for i, text in enumerate(repr(module) for module in self):
            if blocks and blocks[-1][2] == text:
                blocks[-1] = (blocks[-1][0], i, text)
            else:
                blocks.append((i, i, text))
        lines = []
        for first, last, text in blocks:
            shown = f"({first}): {text}"
            if last > first:
                shown = f"({first}-{last}): {last - first + 1} x {text}"
            lines.append(_addindent(shown, 2))
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"

    def insert(self, index: int, module: Module) -> None:
        """Add a module before a position."""
        modules = list(self._modules.values())
        modules.insert(index, module)
        _numbered(self, modules)

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def pop(self, key: int | slice) -> Module:
        """Remove and return the module at a position."""
        module = self[key]
        del self[key]
        return module

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got "
                + type(modules).__name__
            )
        offset = len(self)
        for i, module in enumerate(list(modules)):
            self.add_module(str(offset + i), module)
        return self


class ModuleDict(Module):
    """A dict of modules whose parameters are found, in order of insertion.

    >>> from chainrule import nn
    >>> nn.ModuleDict({"up": nn.ReLU(), "down": nn.Tanh()})["down"]
    Tanh()
    """

    _modules: dict[str, Module]  # type: ignore[assignment]

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def __or__(self, other: Any) -> ModuleDict:
        made = ModuleDict(self)
        made.update(other)
        return made

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Remove and return a module."""
        module = self[key]
        del self[key]
        return module

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """(name, module) pairs."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add modules from a mapping or from pairs, replacing those of the same name."""
        if isinstance(modules, Mapping | ModuleDict):
            for key, module in modules.items():
                self[key] = module
            return
        for key, module in check_pairs("ModuleDict", modules):
            self[key] = module


__all__ = [
    "Container",
    "ModuleDict",
    "ModuleList",
    "ParameterDict",
    "ParameterList",
    "Sequential",
]


explain_module(globals())
