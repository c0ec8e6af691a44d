"""Kernels written by the program: scalar expressions of `ir` as text of the kernels' language."""

from __future__ import annotations

import linecache
from collections.abc import Sequence

from ....ir import Expr
from . import words
from .words import NEAR, Kernel, native

_BETWEEN = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "gt": ">", "lt": "<", "eq": "==", "ge": ">=",
    "le": "<=", "ne": "!=", "and": "&", "or": "|",
}  # fmt: skip
_CALLED = frozenset(
    ("abs", "copysign", "erf", "erfc", "exp", "expm1", "floor", "isnan", "log", "log1p",
     "maximum", "minimum", "sigmoid", "sqrt", "tanh", "upper_tail")
)  # fmt: skip


WAVES = ("sin", "cos")


class NoWord(Exception):
    """The kernels' language has no word for a function of `ir`."""


def statements(
    operations: Sequence[Expr], place: dict[int, str], t: str, prefix: str = "t"
) -> list[str]:
    """An assignment for each operation; `place` says where leaves are, and gets the others.

    `t` is the type of the numbers among them. Where there are waves, the variable `far` counts
    arguments that are too large for them; then the kernel's results are of no use.
    """
    lines = []
    for k, e in enumerate(operations):
        name = place[id(e)] = f"{prefix}{k}"
        lines.append(f"{name} = {_expression(e, place, t)}")
        if e.op in WAVES:
            near = f"abs({operand(e.args[0], place, t)}) <= {t}({NEAR})"
            lines.append(f"far = accumulate(far, {t}(0.0) if {near} else {t}(1.0))")
    return lines


def operand(e: Expr, place: dict[int, str], t: str) -> str:
    """Where the value of an expression is, or the number it is."""
    if e.op == "const":
        return f"{t}({float(e.value)!r})"
    return e.value if e.op == "param" else place[id(e)]


def _expression(e: Expr, place: dict[int, str], t: str) -> str:
    parts = [operand(a, place, t) for a in e.args]
    if e.op in _BETWEEN:
        return f"{parts[0]} {_BETWEEN[e.op]} {parts[1]}"
    if e.op in _CALLED:
        return f"{e.op}({', '.join(parts)})"
    first = parts[0]
    match e.op:
        case "sin" | "cos":
            return f"near_{e.op}({first})"
        case "rsqrt":
            return f"1.0 / sqrt({first})"
        case "select":
            return f"{parts[1]} if {first} else {parts[2]}"
        case "neg":
            return f"-{first}"
        case "reciprocal":
            return f"1.0 / {first}"
        case "square":
            return f"{first} * {first}"
        case "relu":
            return f"{t}(0.0) if {first} <= {t}(0.0) else {first}"
        case "sign":
            below = f"{t}(-1.0) if {first} < {t}(0.0) else {t}(0.0)"
            return f"{t}(1.0) if {first} > {t}(0.0) else ({below})"
    raise NoWord(e.op)


def kernel_of(name: str, declaration: str, text: str, exact: bool = False) -> Kernel:
    """The kernel whose Python text this is: a function called `written`."""
    filename = f"<chainrule {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space = dict(vars(words))
    exec(compile(text, filename, "exec"), space)
    space["written"].__name__ = name
    return native(declaration, exact=exact)(space["written"])
