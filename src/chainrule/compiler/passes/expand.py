"""Ops that are written in other ops, replaced by their pieces."""

from __future__ import annotations

from typing import Any

from ... import ir
from ..graph.op_table import lowering
from ..graph.program import Graph, Instr, Value
from ..graph.rewriter import Rewriter
from ..graph.world import GRAPHS, Sym
from .widen import ARRANGING, in_half


def expand(graph: Graph) -> Graph:
    """Replace ops that are written in other ops by their pieces, until none is left."""
    while True:
        rewriter = Rewriter(graph)
        count = len(graph.instrs)
        graph = rewriter.run(_expand)
        if len(graph.instrs) == count:
            return graph


def _expand(r: Rewriter, instr: Instr) -> Any:
    lower = lowering(instr.op)
    if not isinstance(lower, ir.Compose) or (in_half(instr) and instr.op not in ARRANGING):
        return None  # (pieces would each round half precision, where the op does so once)
    start = len(r.graph.instrs)
    arrays = [Sym(r.graph, x) if isinstance(x, Value) else x for x in instr.inputs]
    try:
        result = GRAPHS.bind(lower.function)(*arrays, **lower.params(instr.params))
    except (TypeError, NotImplementedError):  # a piece refuses this dtype
        result = None
    results = result if isinstance(result, tuple) else (result,)
    if result is None or not _same_types(results, instr.outputs):
        # No decomposition for this case (or one that is not meant for this dtype): an extern.
        del r.graph.instrs[start:]
        return None
    for piece in r.graph.instrs[start:]:
        piece.source = instr.source
        for v in piece.outputs:
            r.made[v] = piece
    values = tuple(x.value for x in results)  # pyright: ignore[reportOptionalMemberAccess]
    return values if isinstance(result, tuple) else values[0]


def _same_types(results: tuple[Any, ...], outputs: tuple[Value, ...]) -> bool:
    return len(results) == len(outputs) and all(
        isinstance(x, Sym) and (x.shape, x.dtype) == (v.shape, v.dtype)
        for x, v in zip(results, outputs, strict=True)
    )
