"""The ops a graph may name: those of the op table, and a few that only passes introduce.

The compiler's own ops have NumPy forwards too, so the interpreter runs every graph at every stage.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from ... import ir
from ...autograd.running_rules import distinct
from ...ops.products import (
    multiply_halves,  # pyright: ignore[reportUnknownVariableType]
    product,  # pyright: ignore[reportUnknownVariableType]
)
from ...ops.result_types import as_first, contracted
from ...ops.schema import TABLE, Op, rule_names
from ...ops.worlds import ARRAYS


@dataclass(frozen=True, slots=True)
class InternalOp:
    """An op that no user can call; it has what passes and backends read of a table record."""

    name: str
    forward: Callable[..., Any]
    lower: ir.Lowering
    types: Callable[..., Any] | None = None
    random: bool = False
    n_out: int = 1
    batch: str = ""


def _seed_generator(*, generator: Any, seed: int) -> tuple[()]:
    generator.manual_seed(seed)
    return ()


def _gemm(a: Any, b: Any, *, ta: bool, tb: bool) -> Any:
    a, b = a.swapaxes(-1, -2) if ta else a, b.swapaxes(-1, -2) if tb else b
    # NumPy would give half precision another type, and long sums fewer digits.
    return product(a, b) if a.dtype.itemsize == 2 or a.ndim == b.ndim == 2 else np.matmul(a, b)


def _gemm_of_halves(a: Any, b: Any, *, ta: bool, tb: bool) -> Any:
    a, b = a.swapaxes(-1, -2) if ta else a, b.swapaxes(-1, -2) if tb else b
    return multiply_halves(a, b)


def _iota(*, shape: tuple[int, ...], axis: int) -> Any:
    line = [1] * len(shape)
    line[axis] = shape[axis]
    return np.broadcast_to(np.arange(shape[axis]).reshape(line), shape)


def _checked_index(index: Any, *, size: int) -> Any:
    wrong = index[(index < -size) | (index >= size)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for dimension with size {size}")
    return index + size * (index < 0)


def _checked_class(target: Any, *, classes: int, ignore: int) -> Any:
    wrong = target[(target != ignore) & ((target < 0) | (target >= classes))]
    if wrong.size:
        raise IndexError(f"Target {wrong.flat[0]} is out of bounds.")
    return target


def _expected(index: Any, *, low: int, high: int, spared: int | None) -> Any:
    wrong = index[((index < low) | (index > high)) & (True if spared is None else index != spared)]
    if wrong.size:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds: not within {low} and {high}")
    return np.zeros_like(index)


def _lower_expected(index: ir.Expr, *, low: int, high: int, spared: int | None) -> ir.Expr:
    wrong = ir.select(index < low, 2, ir.select(index > high, 2, 0))
    if spared is not None:
        wrong = ir.select(index == spared, 0, wrong)
    return ir.Expr("check", (wrong,), 1)


def _take(x: Any, *indices: Any) -> Any:
    return x[_without_free_axes(indices, x.ndim)]


def _put_add(g: Any, *indices: Any, shape: tuple[int, ...]) -> Any:
    out = np.zeros(shape, g.dtype)
    np.add.at(out, _without_free_axes(indices, len(shape)), g)
    return out


def _without_free_axes(indices: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    free = ndim - len(indices)
    return tuple(i.reshape(i.shape[: i.ndim - free]) for i in indices)


def _zero_if(target: ir.Expr, ignore: int) -> ir.Expr:
    """The number to check: an ignored one counts as class 0, a negative one as too large."""
    counted = ir.select(target == ignore, 0, target)
    return ir.select(counted < 0, 1 << 62, counted)


def _lower_class(target: ir.Expr, *, classes: int, ignore: int) -> ir.Expr:
    known = ir.Expr("check", (_zero_if(target, ignore),), classes)
    return ir.select(target == ignore, target, known)


def _lower_index(index: ir.Expr, *, size: int) -> ir.Expr:
    return ir.Expr("check", (index,), size)


def _copied(x: Any) -> np.ndarray:
    return np.array(x, order="C")


def _of_shape(g: Any, *indices: Any, shape: tuple[int, ...]) -> list[Any]:
    return [(tuple(shape), g.dtype)]


def _taken(x: Any, *indices: Any) -> list[Any]:
    return [(np.broadcast_shapes(x.shape[len(indices) :], *(i.shape for i in indices)), x.dtype)]


def _in_single(a: Any, b: Any, *, ta: bool, tb: bool) -> list[Any]:
    return [(contracted(a, b, ta=ta, tb=tb)[0][0], np.dtype(np.float32))]


def _positions(*, shape: tuple[int, ...], axis: int) -> list[Any]:
    return [(tuple(shape), np.dtype(np.int64))]


_OPS = (
    # x[i, j, ...] for checked indices; each has a length-1 axis for every axis not indexed.
    InternalOp("take", _take, ir.Take(), _taken),
    InternalOp("put_add", _put_add, ir.Scatter(), _of_shape),
    # A class number; `ignore` may be any number, others must be below the number of classes.
    InternalOp("checked_class", _checked_class, ir.pointwise(_lower_class), as_first),
    # An index into an axis of this length, counted from the end when negative.
    InternalOp("checked_index", _checked_index, ir.pointwise(_lower_index), as_first),
    # Zeros for integers within low..high (or equal to `spared`), which an op asked of them; never
    # dropped: a value that is not ends the plan before anything is written.
    InternalOp("expected", _expected, ir.pointwise(_lower_expected), as_first),
    # Restarts a generator, in order with the draws; it has no result.
    InternalOp("seed_generator", _seed_generator, ir.extern, random=True),
    # A matrix product whose operands may be read transposed: what BLAS calls its flags.
    InternalOp("gemm", _gemm, ir.contract),
    # The same of bfloat16 factors, in float32.
    InternalOp("gemm_of_halves", _gemm_of_halves, ir.contract, _in_single),
    # A materialised copy in C order, for readers that need one.
    InternalOp("copy", _copied, ir.identity, as_first),
    # The position along one axis of an array of this shape.
    InternalOp("iota", _iota, ir.Index(), _positions),
)
INTERNAL = {op.name: op for op in _OPS}


# ---- gradients as one instruction ----------------------------------------------------------------


class Place(NamedTuple):
    """Stands for the tensor of this number in a template of arguments."""

    number: int


_graphs: list[Any] = []  # the world in which rules build graphs: `know_graphs` fills it


def know_graphs(world: Any) -> None:
    """Rules written in ops become instructions in this world."""
    _graphs[:] = [world]


class FusedGradients:
    """All gradients of an op by its rule on arrays, which runs fused kernels.

    Where the op itself becomes loops, so do its gradients: in pieces, by the rule written in ops.
    """

    __slots__ = ("joint", "lower", "n_out", "name", "names", "op", "plain", "random", "rule")

    def __init__(self, op: Op) -> None:
        assert op.joint is not None and op.plain_joint is not None
        self.op = op
        self.name = f"{op.name}.gradients"
        self.joint, self.plain = op.joint, op.plain_joint
        self.rule = ARRAYS.bind(op.joint)
        # What either rule asks for; the rule on arrays asks for the first of them.
        self.names = tuple(dict.fromkeys(rule_names(op.joint) + rule_names(op.plain_joint)))
        self.lower = ir.extern if op.lower is None else ir.compose(_decomposition(self))
        self.n_out = None
        self.random = False

    def every(self, *arrays: Any, given: tuple[Any, ...]) -> list[Any]:
        """A gradient for each input, None where none is wanted."""
        asked = given[: len(rule_names(self.joint))]
        found = self.rule(*(_filled(x, arrays) for x in asked))
        return distinct(self._wanted(found, given))

    def _wanted(self, found: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """Without those that nobody asked for: some rules make several at once."""
        if "mask" not in self.names:
            return tuple(found)
        mask = given[self.names.index("mask")]
        return tuple(g if asked else None for g, asked in zip(found, mask, strict=True))

    def forward(self, *arrays: Any, given: tuple[Any, ...]) -> tuple[Any, ...]:
        """The wanted gradients."""
        return tuple(g for g in self.every(*arrays, given=given) if g is not None)

    def in_pieces(self, symbols: tuple[Any, ...], given: tuple[Any, ...]) -> tuple[Any, ...]:
        """The wanted gradients by the rule written in ops."""
        rule = self.plain
        values = dict(zip(self.names, given, strict=True))
        found = _graphs[0].bind(rule)(*(_filled(values[n], symbols) for n in rule_names(rule)))
        return tuple(g for g in self._wanted(found, given) if g is not None)


def _decomposition(fused: FusedGradients) -> Callable[..., Any]:
    """For `ir.compose`; what it calls comes through the closure, as globals are replaced there."""
    in_pieces = fused.in_pieces

    def pieces(*symbols: Any, given: tuple[Any, ...]) -> Any:
        return in_pieces(symbols, given)

    return pieces


def _filled(template: Any, arrays: tuple[Any, ...]) -> Any:
    if isinstance(template, Place):
        return arrays[template.number]
    if isinstance(template, tuple):
        return tuple(_filled(x, arrays) for x in cast("tuple[Any, ...]", template))
    return template


def fused_gradients(op: Op) -> FusedGradients:
    """The gradients of an op as an op; made when first asked for."""
    found = op.cache.get("fused gradients")
    if found is None:
        found = op.cache["fused gradients"] = FusedGradients(op)
    return found


_found: dict[str, Any] = {}  # by name: looked up tens of thousands of times per program


def register(op: Any) -> None:
    """Make an op known that a library above the table defines."""
    _found.setdefault(op.name, op)


def lookup(name: str) -> Any:
    """The record of an op by name."""
    found = _found.get(name)
    if found is None:
        found = TABLE.get(name) or INTERNAL.get(name)
        if found is None and name.endswith(".gradients"):
            found = fused_gradients(TABLE[name.removesuffix(".gradients")])
        if found is None:
            raise KeyError(f"no op named {name!r} in the table")
        _found[name] = found
    return found


def lowering(name: str) -> ir.Lowering:
    """How an op becomes loops; `ir.extern` when the table does not say."""
    found = _found.get(name)
    return (lookup(name) if found is None else found).lower or ir.extern


def models_of_results(instr: Any) -> list[Any]:
    """For each result the input in whose order of axes it lies in memory; None for C order.

    Attention takes heads as they are split off a projection, and gives them back so: what joins
    them is no copy then.
    """
    if instr.op == "attention":
        q, out = instr.inputs[0], instr.outputs[0]
        return [q if q.shape == out.shape else None, *[None] * (len(instr.outputs) - 1)]
    if instr.op == "attention.gradients":
        given = dict(zip(lookup(instr.op).names, instr.params["given"], strict=True))
        wanted = zip(("q", "k", "v", "bias"), given["mask"], strict=True)
        places = [given[name] for name, asked in wanted if asked]
        return [
            instr.inputs[p.number] if instr.inputs[p.number].shape == out.shape else None
            for p, out in zip(places, instr.outputs, strict=True)
        ]
    return [None] * len(instr.outputs)
