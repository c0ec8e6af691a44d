"""What nothing reads is not done (dead code)."""

from __future__ import annotations

from ..graph.op_table import lookup
from ..graph.program import Graph, Instr


def drop_dead(graph: Graph) -> Graph:
    """Remove what nothing reads, but not what eager code would do all the same."""
    live = set(graph.results())
    kept = []
    for instr in reversed(graph.instrs):
        if any(v in live for v in instr.outputs) or _has_effects(instr):
            kept.append(instr)
            live.update(instr.values)
    result = graph.copy()
    result.instrs = kept[::-1]
    result.constants = {v: a for v, a in graph.constants.items() if v in live}
    return result


def _has_effects(instr: Instr) -> bool:
    """Whether an instruction moves a generator on, or raises an error for some values."""
    op = lookup(instr.op)
    refused = getattr(op, "refuses_values", "")
    return op.random or (bool(refused) and any(v.dtype.kind in refused for v in instr.values))
