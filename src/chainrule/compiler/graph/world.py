"""The graph world: op functions and operators that append instructions.

Decompositions (`ir.compose`) are written like rules of the op table; bound to this world they
build graph. A `Sym` is a value together with the graph it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ... import ir, ops
from ...ops.result_types import result_types
from ...ops.schema import ONLY_IN_LOOPS, Op
from ...ops.worlds import World
from .op_table import know_graphs, lookup, lowering
from .program import Graph, Value
from .types import emit


class Sym:
    """A graph value that can be computed with."""

    __slots__ = ("graph", "value")

    def __init__(self, graph: Graph, value: Value) -> None:
        self.graph = graph
        self.value = value

    @property
    def shape(self) -> tuple[int, ...]:
        return self.value.shape

    @property
    def ndim(self) -> int:
        return self.value.ndim

    @property
    def dtype(self) -> Any:
        return self.value.dtype

    @property
    def weak(self) -> bool:
        """Whether it is a number that takes the dtype of what it meets."""
        return self.value.weak

    def __neg__(self) -> Any:
        return build("neg", self)

    def __matmul__(self, other: Any) -> Any:
        return build("matmul", self, other)


def _install_operators() -> None:
    for method, op in {
        "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow",
    }.items():  # fmt: skip
        setattr(Sym, f"__{method}__", _operator(op))
        setattr(Sym, f"__r{method}__", _reflected(op))
    for op in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Sym, f"__{op}__", _operator(op))
    Sym.__hash__ = object.__hash__


def _operator(op: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: build(op, a, b)


def _reflected(op: str) -> Callable[[Any, Any], Any]:
    return lambda a, b: build(op, b, a)


_install_operators()


def build(op: str, *operands: Any, **params: Any) -> Sym:
    """Append `op` to the graph of its operands, in pieces where it is written in other ops."""
    lower = lowering(op)
    if isinstance(lower, ir.Compose):
        pieces = GRAPHS.bind(lower.function)(*operands, **lower.params(params))
        if pieces is not None:
            return pieces
    graph = next(x.graph for x in operands if isinstance(x, Sym))
    raw = [x.value if isinstance(x, Sym) else x for x in operands]
    if lower.tag in ("compose", "extern"):
        return Sym(graph, _append_extern(graph, op, raw, params))
    return Sym(graph, emit(graph, op, *raw, **params))


def _append_extern(graph: Graph, op: str, operands: list[Any], params: dict[str, Any]) -> Value:
    """An op that is called; where no rule tells its type it is run once on ones."""
    probes = [np.ones(x.shape, x.dtype) if isinstance(x, Value) else x for x in operands]
    ((shape, dtype),) = result_types(lookup(op), tuple(probes), params)
    value = Value(shape, dtype)
    graph.append(op, operands, params, [value])
    return value


def position(like: Sym, axis: int) -> Sym:
    """The position of each element of `like` along an axis."""
    return Sym(like.graph, emit(like.graph, "iota", shape=like.shape, axis=axis % like.ndim))


def _resolve(op: Op) -> Callable[..., Any]:
    def call(*operands: Any, **params: Any) -> Sym:
        return build(op.name, *operands, **params)

    return call


# ---- what decompositions may use beyond the table ----------------------------------------------


def picked(x: Sym, indices: tuple[Sym, ...], dims: tuple[int, ...]) -> Sym | None:
    """x[indices] in pieces that become loops, or None when only NumPy can do it."""
    if one_per_row(x.shape, indices, dims):
        mask = chosen(x.shape, *indices)
        return build("reduce_sum", build("where", mask, x, 0), axis=(1,), keepdims=False)
    places = _places(x.shape, indices, dims)
    return None if places is None else build("take", x, *places)


def numbered_rows(w: Sym, index: Sym) -> Sym | None:
    """The rows of w by number; unlike `picked`, a negative number is wrong."""
    if index.dtype.kind not in "iu" or len(w.shape) != 2:
        return None
    rows = w.shape[0]
    counted = build("where", build("lt", index, 0), rows, index)
    return picked(w, (counted,), (0,))


def placed(
    g: Sym, indices: tuple[Sym, ...], dims: tuple[int, ...], shape: tuple[int, ...]
) -> Sym | None:
    """Zeros with g added at the indices, in pieces that become loops, or None."""
    if one_per_row(shape, indices, dims):
        mask = chosen(shape, *indices)
        return build("where", mask, build("reshape", g, shape=(shape[0], 1)), 0)
    places = _places(shape, indices, dims)
    return None if places is None else build("put_add", g, *places, shape=shape)


def _places(
    shape: tuple[int, ...], indices: tuple[Sym, ...], dims: tuple[int, ...]
) -> list[Sym] | None:
    """Checked indices of the first axes, with an axis of length 1 for each axis not indexed."""
    if dims != tuple(range(len(dims))) or any(i.dtype.kind not in "iu" for i in indices):
        return None
    free = (1,) * (len(shape) - len(dims))
    wide = [build("cast", i, dtype=np.dtype(np.int64)) for i in indices]  # as addresses count
    checked = [build("checked_index", i, size=shape[d]) for d, i in zip(dims, wide, strict=True)]
    return [build("reshape", i, shape=i.shape + free) for i in checked]


def first_place(extreme: str, x: Sym, axis: int, keepdims: bool) -> Sym | None:
    """Where the largest or smallest element along an axis is: the first of several, a NaN before
    all. None for other types than floats and integers of 32 or 64 bits."""
    if x.dtype.kind not in "fi" or x.dtype.itemsize < 4 or not x.shape or 0 in x.shape:
        return None
    hit = build("eq", x, build(extreme, x, axis=(axis,), keepdims=True))
    if x.dtype.kind == "f":  # where it is NaN, nothing equals it
        hit = build("bitwise_or", hit, build("ne", x, x))
    places = build("where", hit, position(x, axis), x.shape[axis])
    return build("reduce_min", places, axis=(axis,), keepdims=keepdims)


def picked_once(x: Sym, index: Sym, axis: int, keepdims: bool) -> Sym | None:
    """The element of each line along an axis at a place that is known to be inside, or None."""
    if x.dtype.kind not in "fi" or x.dtype.itemsize < 4 or not x.shape:
        return None
    row = (*x.shape[:axis], 1, *x.shape[axis + 1 :])
    lifted = index if keepdims else build("reshape", index, shape=row)
    chosen_ones = build("where", build("eq", position(x, axis), lifted), x, 0)
    return build("reduce_sum", chosen_ones, axis=(axis,), keepdims=keepdims)


def placed_once(g: Sym, index: Sym, axis: int, shape: tuple[int, ...]) -> Sym | None:
    """Zeros with one element of g for each place along the other axes, or None for several."""
    row = (*shape[:axis], 1, *shape[axis + 1 :])
    if g.shape != row or index.shape != row or index.dtype.kind not in "iu":
        return None
    places = Sym(g.graph, emit(g.graph, "iota", shape=tuple(shape), axis=axis))
    hit = build("eq", places, build("cast", index, dtype=np.dtype(np.int64)))
    return build("where", hit, g, 0)


def hits_along(target: Sym, classes: int, axis: int) -> Sym:
    """Whether the position along a new class axis is the target's class."""
    shape = (*target.shape[:axis], classes, *target.shape[axis:])
    places = Sym(target.graph, emit(target.graph, "iota", shape=shape, axis=axis))
    lifted = (*target.shape[:axis], 1, *target.shape[axis:])
    return build("eq", places, build("reshape", target, shape=lifted))


def checked_classes(target: Sym, classes: int, ignore: int) -> Sym:
    """Class numbers as they are; one outside of the classes is an error at run time."""
    return build("checked_class", target, classes=classes, ignore=ignore)


def one_per_row(shape: tuple[int, ...], indices: tuple[Sym, ...], dims: tuple[int, ...]) -> bool:
    """Whether `x[rows, columns]` picks one element of every row, in order: as in a class loss."""
    if len(shape) != 2 or dims != (0, 1) or any(i.shape != (shape[0],) for i in indices):
        return False
    rows, columns = indices
    known = rows.graph.constants.get(rows.value)
    if known is None or columns.dtype.kind not in "iu":
        return False
    return bool((known == np.arange(shape[0])).all())


def chosen(shape: tuple[int, ...], rows: Sym, columns: Sym) -> Sym:
    """The mask of the picked elements; picking outside of a row is an error at run time."""
    graph = columns.graph
    inside = build("checked_index", columns, size=shape[1])
    places = Sym(graph, emit(graph, "iota", shape=shape, axis=1))
    return build("eq", places, build("reshape", inside, shape=(shape[0], 1)))


GRAPHS = World("graphs", _resolve)
GRAPHS.namespace.update({name: globals()[name] for name in ONLY_IN_LOOPS})

assert ops.TABLE, "the table is declared by importing the ops package"
know_graphs(GRAPHS)
