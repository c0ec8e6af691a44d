"""Scalar expressions: what a fused loop computes for one element, as plain data.

An expression is built by running an ordinary lambda on `Expr` arguments:

>>> body = (lambda x, y: x * 2 + y)(arg(0), arg(1))
>>> str(body)
'add(mul(x0, 2), x1)'

Nothing here knows an array, a dtype's width or LLVM; a backend walks the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

Number = bool | int | float


class Expr:
    """One node: a function of other nodes, or a leaf.

    Leaves are arguments (`arg`, by position or name), numbers given at run time (`param`, by name)
    and numbers known before (`const`).
    """

    __slots__ = ("args", "op", "value")

    def __init__(self, op: str, args: tuple[Expr, ...] = (), value: Any = None) -> None:
        self.op = op
        self.args = args
        self.value = value

    def __str__(self) -> str:
        if self.op in ("arg", "param"):
            return self.value if isinstance(self.value, str) else f"x{self.value}"
        if self.op == "const":
            return repr(self.value)
        return f"{self.op}({', '.join(map(str, self.args))})"

    __repr__ = __str__

    def __bool__(self) -> bool:
        raise TypeError(
            f"a lowering cannot branch in Python on the scalar expression {self}: its value is "
            "known only when the compiled loop runs; use ir.select(condition, a, b)"
        )

    def __neg__(self) -> Expr:
        return Expr("neg", (self,))

    def __abs__(self) -> Expr:
        return Expr("abs", (self,))

    def __invert__(self) -> Expr:
        return Expr("not", (self,))

    # Named as methods of tensors, for formulas that run on both.

    def sqrt(self) -> Expr:
        return Expr("sqrt", (self,))

    def abs(self) -> Expr:
        return Expr("abs", (self,))

    def sign(self) -> Expr:
        return Expr("sign", (self,))

    def maximum(self, other: Expr | Number) -> Expr:
        return Expr("maximum", (self, wrap(other)))

    def clamp(self, low: Expr | Number, high: Expr | Number) -> Expr:
        return Expr("minimum", (self.maximum(low), wrap(high)))

    def __eq__(self, other: Any) -> Expr:  # type: ignore[override]
        return Expr("eq", (self, wrap(other)))

    def __ne__(self, other: Any) -> Expr:  # type: ignore[override]
        return Expr("ne", (self, wrap(other)))

    __hash__ = object.__hash__

    if TYPE_CHECKING:  # `_install_operators` makes them

        def __add__(self, other: Expr | Number) -> Expr: ...

        __radd__ = __add__
        __sub__ = __add__
        __rsub__ = __add__
        __mul__ = __add__
        __rmul__ = __add__
        __truediv__ = __add__
        __rtruediv__ = __add__
        __floordiv__ = __add__
        __rfloordiv__ = __add__
        __mod__ = __add__
        __rmod__ = __add__
        __pow__ = __add__
        __rpow__ = __add__
        __and__ = __add__
        __rand__ = __add__
        __or__ = __add__
        __ror__ = __add__
        __xor__ = __add__
        __rxor__ = __add__
        __lshift__ = __add__
        __rlshift__ = __add__
        __rshift__ = __add__
        __rrshift__ = __add__
        __lt__ = __add__
        __le__ = __add__
        __gt__ = __add__
        __ge__ = __add__


def _install_operators() -> None:
    """Give `Expr` the two-operand operators, in both operand orders."""
    both = {
        "add": "add",
        "sub": "sub",
        "mul": "mul",
        "truediv": "div",
        "floordiv": "floor_div",
        "mod": "remainder",
        "pow": "pow",
        "and": "and",
        "or": "or",
        "xor": "xor",
        "lshift": "shift_left",
        "rshift": "shift_right",
    }
    for method, op in both.items():
        setattr(Expr, f"__{method}__", _operator(op))
        setattr(Expr, f"__r{method}__", _reflected(op))
    for op in ("lt", "le", "gt", "ge"):
        setattr(Expr, f"__{op}__", _operator(op))


def _operator(op: str) -> Callable[[Expr, Expr | Number], Expr]:
    return lambda a, b: Expr(op, (a, wrap(b)))


def _reflected(op: str) -> Callable[[Expr, Expr | Number], Expr]:
    return lambda a, b: Expr(op, (wrap(b), a))


_install_operators()


def wrap(value: Expr | Number) -> Expr:
    """Make a Python number a constant node; pass expressions through."""
    return value if isinstance(value, Expr) else Expr("const", (), value)


def const(value: Number) -> Expr:
    """A number known when the loop is compiled."""
    return Expr("const", (), value)


def arg(index: int) -> Expr:
    """The element of the index-th array of the op."""
    return Expr("arg", (), index)


def operations(*results: Expr) -> list[Expr]:
    """All that has operands, each once and after its operands."""
    found: dict[int, Expr] = {}

    def visit(e: Expr) -> None:
        if e.args and id(e) not in found:
            for operand in e.args:
                visit(operand)
            found[id(e)] = e

    for result in results:
        visit(result)
    return list(found.values())


def common(result: Expr) -> Expr:
    """The same expression with one node for what is written in it several times."""
    made: dict[Any, Expr] = {}
    again: dict[int, Expr] = {}
    for e in (*_leaves(result), *operations(result)):
        args = tuple(again[id(a)] for a in e.args)
        key = (e.op, tuple(map(id, args)), type(e.value).__name__, repr(e.value))
        again[id(e)] = made.setdefault(key, Expr(e.op, args, e.value))
    return again[id(result)]


def _leaves(result: Expr) -> list[Expr]:
    inner = [a for e in operations(result) for a in e.args]
    return [e for e in (result, *inner) if not e.args]


def apply(op: str, *args: Expr | Number) -> Expr:
    """The scalar function named `op` of the given expressions."""
    return Expr(op, tuple(map(wrap, args)))
