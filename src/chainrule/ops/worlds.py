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

from .schema import HELPERS, TABLE, Op


class World:
    """A namespace of op functions in which rules run."""

    def __init__(self, name: str, resolve: Callable[[Op], Callable[..., Any]]) -> None:
        self.name = name
        self._resolve = resolve
        self.namespace: dict[str, Any] = {"__builtins__": builtins, "__name__": f"rules.{name}"}
        self._bound: dict[Any, Callable[..., Any]] = {}

    def function(self, name: str) -> Callable[..., Any]:
        """The world's function for an op or helper name."""
        self._provide((name,))
        return self.namespace[name]

    def bind(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """The rule with its op names meaning this world's functions."""
        twin = self._bound.get(rule)
        if twin is None:
            self._provide(_names_of(rule.__code__))
            twin = FunctionType(
                rule.__code__, self.namespace, rule.__name__, rule.__defaults__, rule.__closure__
            )
            twin.__kwdefaults__ = rule.__kwdefaults__
            self._bound[rule] = twin
        return twin

    def _provide(self, names: tuple[str, ...]) -> None:
        for name in names:
            if name in self.namespace:
                continue
            if name in HELPERS:
                # Registered before binding, so that helpers may call each other.
                self.namespace[name] = None
                self.namespace[name] = self.bind(HELPERS[name])
            elif name in TABLE:
                self.namespace[name] = self._resolve(TABLE[name])


def _names_of(code: CodeType) -> tuple[str, ...]:
    names = code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names += _names_of(constant)
    return names


ARRAYS = World("arrays", lambda op: op.function)
