"""Copy a graph while a rule replaces some of its instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np

from ... import ir
from .op_table import lowering
from .program import Graph, Instr, Value
from .types import emit


class Rewriter:
    """Copies a graph instruction by instruction while a rule may replace results.

    The rule gets this object and the instruction with its operands already replaced; it returns
    None to keep it, or the operand that stands for its result (a tuple of them for several).
    """

    def __init__(self, graph: Graph) -> None:
        self.source = graph
        self.graph = graph.copy()
        self.graph.instrs = []
        self.replaced: dict[Value, Any] = {}
        self.made: dict[Value, Instr] = {}

    def operand(self, x: Any) -> Any:
        """What stands for an operand of the source graph."""
        return self.replaced.get(x, x) if isinstance(x, Value) else x

    def emit(self, op: str, *inputs: Any, **params: Any) -> Value:
        """Append an instruction to the new graph."""
        value = emit(self.graph, op, *inputs, **params)
        self.made[value] = self.graph.instrs[-1]
        return value

    def keep(self, instr: Instr) -> None:
        """Append an instruction as it is."""
        self.graph.instrs.append(instr)
        for v in instr.outputs:
            self.made[v] = instr

    def run(self, rule: Callable[[Rewriter, Instr], Any]) -> Graph:
        """Apply the rule to every instruction, then to what the graph returns."""
        replaced = self.replaced
        for old in self.source.instrs:
            # (Numbers are no keys of it: only values are.)
            inputs = tuple([replaced.get(x, x) for x in old.inputs]) if replaced else old.inputs
            instr = old.with_inputs(inputs)
            standing = rule(self, instr)
            if standing is None:
                self.keep(instr)
            elif isinstance(standing, tuple):
                several = cast("tuple[Any, ...]", standing)
                self.replaced.update(zip(old.outputs, several, strict=True))
            else:
                self.replaced[old.outputs[0]] = standing
        self.graph.outputs = [self.operand(v) for v in self.source.outputs]
        self.graph.writes = [(self._as_value(v), k) for v, k in self.source.writes]
        return self.graph

    def _as_value(self, v: Value) -> Value:
        standing = self.operand(v)
        if isinstance(standing, Value):
            return standing
        return self.graph.constant(np.full(v.shape, standing, v.dtype))


# ---- moves ---------------------------------------------------------------------------------------


def is_move(instr: Instr, kind: str) -> bool:
    """Whether an instruction rearranges elements in this way ("reshape", "broadcast", ...)."""
    lower = lowering(instr.op)
    return isinstance(lower, ir.Move) and lower.kind == kind


def permutation(instr: Instr) -> tuple[int, ...] | None:
    """The order of axes of a transpose; None for any other instruction."""
    return instr.params.get("perm") if is_move(instr, "permute") else None


def simplify_move(r: Rewriter, instr: Instr) -> Any:
    """What stands for a move of a move, or for one that changes nothing; None to keep it."""
    (x,), (out,) = instr.inputs, instr.outputs
    maker = r.made.get(x)
    perm = permutation(instr)
    if perm is not None:
        if maker is not None and maker.op == instr.op:
            perm = tuple(maker.params["perm"][p] for p in perm)
            x = maker.inputs[0]
        if perm == tuple(range(len(perm))):
            return x
        if x is not instr.inputs[0]:
            return r.emit(instr.op, x, perm=perm)
        return None
    if not (is_move(instr, "reshape") or is_move(instr, "broadcast")):
        return None
    if x.shape == out.shape:
        return x
    if maker is not None and _same_kind(maker, instr):
        return r.emit(instr.op, maker.inputs[0], **instr.params)
    return None


def _same_kind(a: Instr, b: Instr) -> bool:
    first, second = lowering(a.op), lowering(b.op)
    return isinstance(first, ir.Move) and isinstance(second, ir.Move) and first.kind == second.kind
