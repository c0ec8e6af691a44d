"""An update rule as a short straight-line program, obtained by running it on symbols.

A rule is written once, in operators and a few tensor methods. Run on tensors it is an ordinary
(traceable, differentiable) computation; run on symbols it becomes a `Program`, from which the
array form and the machine code are made. So the three forms cannot drift apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import chainrule as cr


class Symbol:
    """A value of the program: an array, a scalar, or the result of an operation."""

    __slots__ = ("args", "op")
    __hash__ = object.__hash__

    def __init__(self, op: str, *args: Any) -> None:
        self.op = op
        self.args = args

    def __add__(self, other: Any) -> Symbol:
        return Symbol("add", self, other)

    def __radd__(self, other: Any) -> Symbol:
        return Symbol("add", other, self)

    def __sub__(self, other: Any) -> Symbol:
        return Symbol("sub", self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return Symbol("sub", other, self)

    def __mul__(self, other: Any) -> Symbol:
        return Symbol("mul", self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return Symbol("mul", other, self)

    def __truediv__(self, other: Any) -> Symbol:
        return Symbol("div", self, other)

    def __neg__(self) -> Symbol:
        return Symbol("neg", self)

    def __gt__(self, other: Any) -> Symbol:
        return Symbol("gt", self, other)

    def __lt__(self, other: Any) -> Symbol:
        return Symbol("lt", self, other)

    def __eq__(self, other: Any) -> Any:
        return Symbol("eq", self, other)

    def sqrt(self) -> Symbol:
        return Symbol("sqrt", self)

    def abs(self) -> Symbol:
        return Symbol("abs", self)

    def sign(self) -> Symbol:
        return Symbol("sign", self)

    def maximum(self, other: Any) -> Symbol:
        return Symbol("maximum", self, other)

    def clamp(self, low: Any, high: Any) -> Symbol:
        return Symbol("minimum", Symbol("maximum", self, low), high)


def select(condition: Any, yes: Any, no: Any) -> Any:
    """One of two values, element by element: the `where` of symbols and of tensors."""
    if isinstance(condition, Symbol):
        return Symbol("where", condition, yes, no)
    return cr.where(condition, yes, no)


Rule = Callable[[Any, Any, Any], dict[str, Any]]


KNOWN: dict[str, Program] = {}  # by the name of the kernel, for whoever makes machine code


class Program:
    """The operations of a rule in order; `arrays[:2]` are the parameter and its gradient."""

    def __init__(
        self, rule: Rule, states: tuple[str, ...], scalars: tuple[str, ...], flags: dict[str, bool]
    ) -> None:
        self.name = rule.__name__
        self.arrays = ("p", "g", *states)
        self.scalars = scalars
        self.values: dict[str, Symbol] = {name: Symbol("array", name) for name in self.arrays}
        numbers = {name: Symbol("scalar", name) for name in scalars}
        results = rule(
            SimpleNamespace(**self.values), SimpleNamespace(**numbers), SimpleNamespace(**flags)
        )
        # A result that is an input unchanged needs no store.
        changed = {n: s for n, s in results.items() if s is not self.values[n]}
        # Copies of inputs come first, before those inputs are overwritten.
        self.results = dict(sorted(changed.items(), key=lambda item: item[1].op != "array"))
        self.operations = self._ordered()
        # What the program does, and the name under which its machine code is kept.
        self.text = self._listed()
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:16]
        self.kernel = f"step_{self.name}_{digest}"
        KNOWN[self.kernel.removeprefix("step_")] = self

    def _ordered(self) -> list[Symbol]:
        """Each operation once, after its operands."""
        found: dict[int, Symbol] = {}

        def visit(symbol: Any) -> None:
            if not isinstance(symbol, Symbol) or id(symbol) in found:
                return
            if symbol.op in ("array", "scalar"):
                return
            for argument in symbol.args:
                visit(argument)
            found[id(symbol)] = symbol

        for result in self.results.values():
            visit(result)
        return list(found.values())

    def _listed(self) -> str:
        """All of it as lines: arrays, scalars, operations, results."""
        number = {id(s): f"%{i}" for i, s in enumerate(self.operations)}

        def named(value: Any) -> str:
            if not isinstance(value, Symbol):
                return repr(float(value))
            return value.args[0] if value.op in ("array", "scalar") else number[id(value)]

        lines = [f"arrays {' '.join(self.arrays)}", f"scalars {' '.join(self.scalars)}"]
        for symbol in self.operations:
            operands = " ".join(named(a) for a in symbol.args)
            lines.append(f"{number[id(symbol)]} = {symbol.op} {operands}")
        lines += [f"{name} <- {named(symbol)}" for name, symbol in self.results.items()]
        return "\n".join(lines)


def on_tensors(
    rule: Rule, tensors: dict[str, Any], scalars: dict[str, Any], flags: Any, copied: bool = False
) -> None:
    """Run a rule in tensor ops and write its results in place.

    `copied`: the rule reads copies, because its gradient will ask for what is overwritten here.
    """
    read = {n: t if n == "g" else t.clone() for n, t in tensors.items()} if copied else tensors
    results = rule(SimpleNamespace(**read), SimpleNamespace(**scalars), SimpleNamespace(**flags))
    for name, value in results.items():
        if value is not tensors[name]:
            tensors[name].copy_(value)
