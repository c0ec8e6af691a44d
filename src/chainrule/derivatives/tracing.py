"""Read a function of scalars into an expression, by running it on tensors that carry formulas.

A transform level like any other: each op runs on the values (so branches, loops and `.item()` just
work) and is applied to the formulas beside them. A branch on a value is taken as the sample point
says, and noted.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import function_levels as custom_functions
from ..autograd.dispatch import entry
from ..autograd.levels import _OVERRIDES, Level, new_tensor, synced, track_view
from ..autograd.value import TensorBase, make
from ..ops.schema import Op
from . import expression as e
from .expression import Expr
from .meaning import NoFormula, apply_op

SAMPLE = 0.7  # inside the domain of log, sqrt, asin, atanh...


class FormulaLevel(Level):
    """Tensors with a value and the formula of that value."""

    kind = "formula"

    def __init__(self) -> None:
        super().__init__()
        self.notes: list[str] = []

    def attach(self, value: Any, formula: Expr) -> Any:
        t = new_tensor("FormulaTensor", self, value)
        t._formula = formula
        return t

    def lift(self, value: Any) -> Any:
        return self.attach(value, self.formula_of(value))

    def copy_parts(self, into: Any, value: Any) -> None:
        into._a = value._a
        into.__dict__["_formula"] = value._formula

    def formula_of(self, a: Any) -> Any:
        """The formula of an argument; other tensors and numbers are constants."""
        if self.mine(a):
            return synced(a)._formula
        if isinstance(a, TensorBase):
            if a.numel() != 1:  # type: ignore[attr-defined]
                raise NoFormula(
                    f"symbolic() reads functions of scalars; a tensor of shape "
                    f"{list(a.shape)} takes part in it"  # type: ignore[attr-defined]
                )
            return e.number(a.item())  # type: ignore[attr-defined]
        return a if a is None else e.number(a)

    def item(self, t: Any) -> Any:
        found = super().item(t)
        self.notes.append(f"{self.formula_of(t)!r} was taken as {found}")
        return found

    def process(self, op: Op, args: tuple[Any, ...], params: dict[str, Any]) -> Any:
        inner = tuple(self.payload(a) for a in args)
        result = entry(op)(*inner, **params)
        if op.n_out != 1 or result.numel() != 1:
            shapes = [tuple(r.shape) for r in ((result,) if op.n_out == 1 else result)]
            raise NoFormula(
                f"symbolic() reads functions of scalars; {op.name} made {_shapes(shapes)}"
            )
        formulas = tuple(self.formula_of(a) for a in args)
        out = self.attach(result, apply_op(op, formulas, params))
        track_view(op, args, params, (out,))
        return out


def _shapes(shapes: list[tuple[int, ...]]) -> str:
    return ", ".join(f"a tensor of shape {list(s)}" for s in shapes)


_OVERRIDES["FormulaTensor"] = {}


def _refuse_custom(cls: Any, level: Any, args: Any, kwargs: Any) -> Any:
    raise NoFormula(
        f"symbolic() cannot look inside the custom Function {cls.__name__}: write it in tensor "
        "operations to get its formula"
    )


custom_functions.HANDLERS["formula"] = _refuse_custom


def argument_names(f: Callable[..., Any]) -> list[str]:
    """The names of a function's positional parameters without default; x when unknown."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return ["x"]
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    needed = [p.name for p in parameters if p.kind in kinds and p.default is p.empty]
    # A function with names of its own for a single argument (input, self) reads better in x.
    return ["x"] if needed in (["input"], ["self"], []) else needed


def trace(f: Callable[..., Any], names: list[str], at: dict[str, float]) -> tuple[Expr, list[str]]:
    """(the formula of f, what was assumed on the way)."""
    level = FormulaLevel()
    with level:
        arguments = [
            level.attach(make(np.asarray(at.get(n, SAMPLE), np.float64)), e.symbol(n))
            for n in names
        ]
        result = f(*arguments)
        if isinstance(result, TensorBase) and result.numel() != 1:  # type: ignore[attr-defined]
            raise NoFormula(
                f"symbolic() reads functions that return a scalar; this one returned a tensor of "
                f"shape {list(result.shape)}"  # type: ignore[attr-defined]
            )
        if not isinstance(result, TensorBase | int | float):
            raise NoFormula(
                f"symbolic() reads functions that return a scalar; this one returned a "
                f"{type(result).__name__}"
            )
        return level.formula_of(result), list(dict.fromkeys(level.notes))


__all__ = ["FormulaLevel", "argument_names", "trace"]
