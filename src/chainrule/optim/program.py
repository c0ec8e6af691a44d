"""An update rule as a short straight-line program, obtained by running it on scalar expressions.

A rule is written once, in operators and a few tensor methods. Run on tensors it is an ordinary
(traceable, differentiable) computation; run on the expressions of `ir` it becomes a `Program`, from
which the array form and the machine code are made. So the three forms cannot drift apart.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import chainrule as cr

from .. import ir
from ..ir import Expr


def select(condition: Any, yes: Any, no: Any) -> Any:
    """One of two values, element by element: the `where` of expressions and of tensors."""
    if isinstance(condition, Expr):
        return ir.select(condition, yes, no)
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
        self.values: dict[str, Expr] = {name: Expr("arg", (), name) for name in self.arrays}
        numbers = {name: Expr("param", (), name) for name in scalars}
        results = rule(
            SimpleNamespace(**self.values), SimpleNamespace(**numbers), SimpleNamespace(**flags)
        )
        # A result that is an input unchanged needs no store.
        changed = {n: s for n, s in results.items() if s is not self.values[n]}
        # Copies of inputs come first, before those inputs are overwritten.
        self.results = dict(sorted(changed.items(), key=lambda item: item[1].op != "arg"))
        self.operations = ir.operations(*self.results.values())
        # What the program does, and the name under which its machine code is kept.
        self.text = self._listed()
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:16]
        self.kernel = f"step_{self.name}_{digest}"
        KNOWN[self.kernel.removeprefix("step_")] = self

    def _listed(self) -> str:
        """All of it as lines: arrays, scalars, operations, results."""
        number = {id(e): f"%{i}" for i, e in enumerate(self.operations)}

        def named(e: Expr) -> str:
            return number[id(e)] if e.args else str(e.value)

        lines = [f"arrays {' '.join(self.arrays)}", f"scalars {' '.join(self.scalars)}"]
        for e in self.operations:
            lines.append(f"{number[id(e)]} = {e.op} {' '.join(map(named, e.args))}")
        lines += [f"{name} <- {named(e)}" for name, e in self.results.items()]
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
