"""Kernels over rows from what an op says of itself: softmax, norms and losses, written once.

A lowering in ops (`ir.compose`) or a joint rule runs here on one element of a row. Every value has
a shape of the dimensions `ROWS` and `N` (or 1), which says along what it varies; a reduction over N
is one number of a row, over ROWS one of a column. What results are expressions of `ir` with
`row_add`, `row_max` and `column_add` in them; `compiler/native/kernels/row_formulas.py` makes the
passes over a row of them. Without machine code the same lowering runs on arrays. Where no value has
ROWS, all elements are one row.

    SOFTMAX = RowFormula("softmax", {"x": ROW}, ("result",), axis=1)
    done = fast.softmax(x)
    return SOFTMAX.by_numpy(x) if done is None else done
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from ..ir import Compose, Expr, Move, Pointwise, Reduce, common
from .formulas import FORMULAS
from .halves import wide
from .schema import TABLE, Op, rule_names
from .worlds import ARRAYS, World


class Length(Expr):
    """A dimension whose length is known when a kernel runs: a number equal to itself only."""

    __slots__ = ()
    __eq__ = object.__eq__  # type: ignore[assignment]
    __ne__ = object.__ne__  # type: ignore[assignment]
    __hash__ = object.__hash__

    def __rmul__(self, other: Any) -> Expr:
        return self if other == 1 else Expr("mul", (Expr("const", (), other), self))

    def __gt__(self, other: Any) -> bool:  # type: ignore[override]
        return True  # than the 1 that rules put in place of 0


ROWS, N = Length("param", (), "rows"), Length("param", (), "n")
ROW, COLUMNS, NUMBER = (ROWS, N), (N,), ()

Shape = tuple[Any, ...]
_BLOCK = 1 << 15  # elements that stay in the cache between the passes over them


class Element:
    """A value of a rule: what it is for one element, and along what it varies."""

    __slots__ = ("expr", "shape")
    dtype = np.dtype(np.float64)  # real: all that rules ask

    def __init__(self, expr: Expr, shape: Shape) -> None:
        self.expr, self.shape = expr, shape

    def __neg__(self) -> Element:
        return Element(-self.expr, self.shape)


def _install_operators() -> None:
    plain = ("lt", "le", "gt", "ge", "eq", "ne")
    both = ("add", "sub", "mul", "truediv", "and", "or")
    for name in (*plain, *both, *(f"r{name}" for name in both)):
        apply = getattr(Expr, f"__{name}__")
        setattr(Element, f"__{name}__", lambda a, b, apply=apply: _together(apply, a, b))


def _together(function: Callable[..., Expr], *operands: Any) -> Element:
    known = [o.expr if isinstance(o, Element) else o for o in operands]
    return Element(function(*known), _broadcast([getattr(o, "shape", ()) for o in operands]))


def _broadcast(shapes: list[Shape]) -> Shape:
    rank = max(map(len, shapes))
    aligned = [(1,) * (rank - len(s)) + s for s in shapes]
    return tuple(next((d for d in dims if d != 1), 1) for dims in zip(*aligned, strict=True))


_install_operators()


def _in_rows(op: Op) -> Callable[..., Any]:
    """What an op is for one element of a row."""
    lower = op.lower
    if isinstance(lower, Pointwise):
        return lambda *operands, **params: _together(lambda *e: lower.of(e, params), *operands)
    if isinstance(lower, Reduce):
        return lambda x, *, axis, keepdims: _reduced(lower.kind, x, axis, keepdims)
    if isinstance(lower, Move) and lower.kind == "reshape":
        return lambda x, *, shape: Element(x.expr, tuple(shape))
    if isinstance(lower, Compose):
        made = IN_ROWS.bind(lower.function)
        return lambda *operands, **params: made(*operands, **lower.params(params))

    def beyond(*operands: Any, **params: Any) -> Any:
        raise TypeError(f"{op.name} does not stay within a row")

    return beyond


IN_ROWS = World("rows", _in_rows)


def _reduced(kind: str, x: Element, axis: tuple[int, ...], keepdims: bool) -> Element:
    gone = [x.shape[k] for k in axis]
    if gone not in ([ROWS], [N]):
        raise TypeError(f"a reduction over {gone} is none of a row or a column")
    over = "row" if gone[0] is N else "column"
    kept = (1 if k in axis else d for k, d in enumerate(x.shape) if keepdims or k not in axis)
    return Element(Expr(f"{over}_{kind}", (x.expr,)), tuple(kept))


class RowFormula:
    """An op's values, or its gradients, as passes over rows of (rows, n) elements.

    `arrays` are the shapes of what it reads, `results` the names of what it makes, `gradient` the
    input whose rule it is ("all" for a joint one), `fixed` the parameters of lowering or rule that
    are not numbers of the call. Where `sized`, rows and n are
    arguments, as rows then span several dimensions; `few` cares for rows of a few elements. A
    `quick` one is made even for a single call.
    """

    def __init__(
        self,
        op: str,
        arrays: Mapping[str, Shape],
        results: tuple[str, ...] = ("result",),
        *,
        gradient: str = "",
        numbers: tuple[str, ...] = (),
        sized: bool = False,
        few: bool = False,
        quick: bool = False,
        **fixed: Any,
    ) -> None:
        self.op, self.arrays, self.numbers, self.fixed = op, arrays, numbers, fixed
        self.made, self.gradient, self.sized, self.few = results, gradient, sized, few
        self.quick = quick
        stem = "_".join([*(v for v in fixed.values() if isinstance(v, str)), op])
        self.name = f"{stem}_gradient" if gradient else stem
        FORMULAS[self.name] = self

    @property
    def is_flat(self) -> bool:
        """Whether all elements are one row."""
        return not any(ROWS in shape for shape in self.arrays.values())

    @cached_property
    def results(self) -> dict[str, Expr]:
        """What an element of each result is."""
        known: dict[str, Any] = {}
        for name, shape in self.arrays.items():
            leaf = Expr("arg", (), name) if shape else Expr("param", (), f"{name}[0]")
            known[name] = Element(leaf, shape)
        known |= {name: Expr("param", (), name) for name in self.numbers}
        known |= self.fixed
        rule = self._rule()
        values = IN_ROWS.bind(rule)(
            *(known[name] for name in rule_names(rule)[: rule.__code__.co_argcount]),
            **{name: known[name] for name in rule_names(rule)[rule.__code__.co_argcount :]},
        )
        values = values if isinstance(values, tuple) else (values,)
        found = common(Expr("results", tuple(v.expr for v in values)))
        return dict(zip(self.made, found.args, strict=True))

    def _rule(self) -> Any:
        op = TABLE[self.op]
        if not self.gradient:
            return op.lower.function
        return op.plain_joint if self.gradient == "all" else op.vjps[self.gradient]

    def by_numpy(self, *arrays: np.ndarray, axis: int) -> np.ndarray:
        """The lowering on arrays, a few rows at a time where they are many."""
        dtype = arrays[-1].dtype
        arrays = tuple(map(wide, arrays))
        x, form = arrays[-1], ARRAYS.bind(self._rule())
        if x.size <= 2 * _BLOCK or axis != x.ndim - 1:
            made = form(*arrays, axis=axis) if x.size else np.empty(x.shape, x.dtype)
            return np.asarray(made, dtype, order="C")  # as PyTorch's, however the operands lie
        out = np.empty(x.shape, dtype)
        n = x.shape[-1]
        rows, flat = [a.reshape(-1, n) for a in arrays], out.reshape(-1, n)
        step = max(1, _BLOCK // n)
        for start in range(0, len(flat), step):
            piece = slice(start, start + step)
            flat[piece] = form(*(a[piece] for a in rows), axis=1)
        return out
