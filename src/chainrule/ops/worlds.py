"""Worlds: what the op names inside a rule mean.

A rule such as `lambda g, b: g @ mH(b)` is compiled once by Python with global names `mH`,
`matmul`... `World.bind` makes a twin of the function whose globals are that world's functions:
NumPy forwards for arrays, recording entries for Tensors. Only the names a rule uses are resolved,
once, so nothing is looked up or dispatched when the rule runs.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from .locks import RLock
from .schema import HELPERS, TABLE, Op


class World:
    """A namespace of op functions in which rules run."""

    def __init__(self, name: str, resolve: Callable[[Op], Callable[..., Any]]) -> None:
        self.name = name
        self._resolve = resolve
        self.namespace: dict[str, Any] = {"__builtins__": builtins, "__name__": f"rules.{name}"}
        self._bound: dict[Any, Callable[..., Any]] = {}
        self._making = RLock()

    def function(self, name: str) -> Callable[..., Any]:
        """The world's function for an op or helper name."""
        if name not in self.namespace:
            with self._making:
                made = _Made(self)
                made.provide((name,))
                made.publish()
        return self.namespace[name]

    def bind(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """The rule with its op names meaning this world's functions."""
        twin = self._bound.get(rule)
        if twin is None:
            with self._making:
                made = _Made(self)
                twin = made.twin(rule)
                made.publish()
        return twin


class _Made:
    """Functions that are being bound: other threads see them when all they call is there."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.functions: dict[str, Any] = {}
        self.twins: dict[Any, Callable[..., Any]] = {}

    def twin(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """The rule in the world's namespace, and all that it names."""
        twin = self.world._bound.get(rule) or self.twins.get(rule)  # pyright: ignore[reportPrivateUsage]
        if twin is None:
            twin = FunctionType(
                rule.__code__, self.world.namespace, rule.__name__, rule.__defaults__,
                rule.__closure__,
            )  # fmt: skip
            twin.__kwdefaults__ = rule.__kwdefaults__
            self.twins[rule] = twin  # before what it names: helpers may call each other
            self.provide(_names_of(rule.__code__))
        return twin

    def provide(self, names: tuple[str, ...]) -> None:
        """What these names mean in the world."""
        for name in names:
            if name in self.world.namespace or name in self.functions:
                continue
            if name in HELPERS:
                self.functions[name] = self.twin(HELPERS[name])
            elif name in TABLE:
                self.functions[name] = self.world._resolve(TABLE[name])  # pyright: ignore[reportPrivateUsage]

    def publish(self) -> None:
        """Show what was made: first what is called, then who calls it."""
        self.world.namespace.update(self.functions)
        self.world._bound.update(self.twins)  # pyright: ignore[reportPrivateUsage]


def _names_of(code: CodeType) -> tuple[str, ...]:
    names = code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _names_of(constant)
    return names


ARRAYS = World("arrays", lambda op: op.function)
