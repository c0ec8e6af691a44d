"""`symbolic(f)`: the formula of a function, and of its derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.accidents import explain_module
from ..autograd.value import TensorBase
from ..ops.schema import TABLE
from . import expression as e
from .expression import Expr
from .latex import latex
from .meaning import derivative
from .printing import text
from .simplify import simplified
from .tracing import argument_names, trace

_LONGEST = 20_000  # nodes; a longer formula is no longer reading matter


class Formula:
    """A scalar expression of named variables: prints as infix text, evaluates, differentiates."""

    def __init__(self, expression: Expr, variables: tuple[str, ...], notes: tuple[str, ...] = ()):
        self.expression = expression
        self.variables = variables
        self.notes = notes  # branches that were taken as the sample point said

    @property
    def size(self) -> int:
        """Nodes of the formula written out: what a person (or a naive program) would handle."""
        return self.expression.size

    @property
    def distinct(self) -> int:
        """Distinct parts: what must be computed when shared parts are computed once."""
        return len(e.parts_first(self.expression))

    def derivative(self, by: str | None = None, order: int = 1) -> Formula:
        """The formula of the derivative by one variable."""
        name = self._variable(by)
        found = self.expression
        for _ in range(order):
            found = simplified(derivative(found, e.symbol(name)))
        return Formula(found, self.variables, self.notes)

    def gradient(self) -> dict[str, Formula]:
        """The derivative by each variable."""
        return {name: self.derivative(name) for name in self.variables}

    def _variable(self, by: str | None) -> str:
        if by is None and len(self.variables) == 1:
            return self.variables[0]
        if by not in self.variables:
            raise ValueError(
                f"derivative by {by!r}: the variables of this formula are "
                f"{', '.join(self.variables)}; name one of them"
            )
        return by

    def __call__(self, *values: Any, **named: Any) -> Any:
        """The value at a point: numbers give a number, NumPy arrays an array."""
        known = dict(zip(self.variables, values, strict=False)) | named
        if missing := [n for n in self.variables if n not in known]:
            raise TypeError(f"the formula needs a value for {', '.join(missing)}")
        arrays = {e.symbol(n): _as_array(v) for n, v in known.items()}
        found = evaluate(self.expression, arrays)
        return float(found) if found.ndim == 0 else found

    def __str__(self) -> str:
        if self.size > _LONGEST:
            return f"<a formula of {self.size:,} nodes, {self.distinct:,} distinct>"
        return text(self.expression)

    def latex(self) -> str:
        r"""The formula as LaTeX.

        >>> import chainrule as torch
        >>> f = torch.symbolic(lambda x: torch.sin(x ** 2) / (1 + x))
        >>> print(f.latex())
        \frac{\sin\left(x^{2}\right)}{x + 1}
        >>> print(torch.symbolic(lambda x: torch.sin(x ** 2)).derivative().latex())
        2 x \cos\left(x^{2}\right)
        """
        if self.size > _LONGEST:
            return rf"\text{{{self}}}"
        return latex(self.expression)

    def _repr_latex_(self) -> str:
        """How notebooks show it."""
        return f"$\\displaystyle {self.latex()}$"

    def __repr__(self) -> str:
        return f"Formula({', '.join(self.variables)} -> {self})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Formula) and other.expression is self.expression

    def __hash__(self) -> int:
        return hash(self.expression)


def symbolic(f: Callable[..., Any], *names: str, at: dict[str, float] | None = None) -> Formula:
    """The formula of a scalar function of scalar inputs, simplified.

    Variables are named as the function's parameters, or by `names`. Where the function branches on
    a value, the branch at the sample point `at` (0.7 for every variable) is taken and noted in
    `.notes`.

    >>> import chainrule as torch
    >>> f = torch.symbolic(lambda x: torch.sin(x ** 2))
    >>> print(f)
    sin(x**2)
    >>> print(f.derivative())
    2*x*cos(x**2)
    """
    variables = list(names) or argument_names(f)
    expression, notes = trace(f, variables, at or {})
    return Formula(simplified(expression), tuple(variables), tuple(notes))


# ---- evaluation --------------------------------------------------------------------------------

_DIRECT: dict[str, Callable[..., Any]] = {
    "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal,
    "ne": np.not_equal, "and": np.logical_and, "or": np.logical_or, "not": np.logical_not,
}  # fmt: skip


def _as_array(value: Any) -> Any:
    return np.asarray(value._a if isinstance(value, TensorBase) else value, np.float64)


def evaluate(expression: Expr, values: dict[Expr, Any]) -> Any:
    """The expression's value as a float64 array, each distinct part computed once."""
    made: dict[Expr, Any] = {e.PI: np.asarray(np.pi), **values}
    with np.errstate(all="ignore"):
        for node in e.parts_first(expression):
            if node not in made:
                made[node] = _value(node, [made[a] for a in node.args])
    return np.asarray(made[expression])


def _value(node: Expr, args: list[Any]) -> Any:
    if node.kind == "num":
        return np.asarray(float(node.value))
    if node.kind == "add":
        return sum(args[1:], args[0])
    if node.kind == "mul":
        return np.prod(np.broadcast_arrays(*args), axis=0)
    if node.kind == "pow":
        return np.power(args[0], args[1])
    if node.kind == "where":
        return np.where(*args)
    if node.kind == "sym":
        raise TypeError(f"no value was given for {node.value}")
    name, params = node.value
    if name in _DIRECT:
        return _DIRECT[name](*args)
    return np.asarray(TABLE[name].forward(*map(np.asarray, args), **dict(params)))


explain_module(globals())
