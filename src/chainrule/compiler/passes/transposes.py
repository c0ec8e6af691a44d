"""Transposes moved before pointwise instructions whose operands are matrix products.

The gradient of a weight that is used transposed is a transposed product.  Where two of them are
added, as in second derivatives, the transpose stands behind the sum: moved before it, it becomes a
flag of both products, and neither a copy nor a loop of its own remains.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from ..graph.op_table import lowering
from ..graph.program import Graph, Instr, Value
from ..graph.rewriter import Rewriter, permutation


def raise_transposes(graph: Graph) -> Graph:
    """transpose(f(a @ b, c @ d)) becomes f(transpose(a @ b), transpose(c @ d))."""
    if not any(swaps_last(permutation(instr)) for instr in graph.instrs):
        return graph
    uses = Counter(v for instr in graph.instrs for v in instr.values)
    uses.update(graph.results())

    def rule(r: Rewriter, instr: Instr) -> Any:
        if not swaps_last(permutation(instr)):
            return None
        (x,) = instr.inputs
        maker = r.made.get(x)
        if maker is None or lowering(maker.op).tag != "pointwise" or not _free(r, x, uses):
            return None
        return _transposed(r, x, instr)

    return Rewriter(graph).run(rule)


def swaps_last(perm: tuple[int, ...] | None) -> bool:
    """Whether an order of axes exchanges the last two."""
    n = 0 if perm is None else len(perm)
    return n >= 2 and perm == (*range(n - 2), n - 1, n - 2)


def _free(r: Rewriter, x: Any, uses: Counter[Value]) -> bool:
    """Whether a value can be had transposed without computing anything twice."""
    if not isinstance(x, Value) or x.ndim == 0:
        return True
    maker = r.made.get(x)
    if maker is None or uses[x] != 1:
        return False
    tag = lowering(maker.op).tag
    if tag == "pointwise":
        alike = all(v.shape == x.shape or v.ndim == 0 for v in maker.values)
        return alike and all(_free(r, y, uses) for y in maker.inputs)
    return tag == "contract" or swaps_last(permutation(maker))


def _transposed(r: Rewriter, x: Any, move: Instr) -> Any:
    if not isinstance(x, Value) or x.ndim == 0:
        return x
    maker = r.made[x]
    if lowering(maker.op).tag == "pointwise":
        operands = [_transposed(r, y, move) for y in maker.inputs]
        result = r.emit(maker.op, *operands, **maker.params)
        r.made[result].source = maker.source
        return result
    if swaps_last(permutation(maker)):
        return maker.inputs[0]
    return r.emit(move.op, x, **move.params)
