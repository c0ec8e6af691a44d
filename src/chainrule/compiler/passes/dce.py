"""What nothing reads is not done (dead code)."""

from __future__ import annotations

from ..graph.op_table import lookup
from ..graph.program import Graph


def drop_dead(graph: Graph) -> Graph:
    """Remove what nothing reads; random ops stay, because they move the generator on."""
    live = set(graph.results())
    kept = []
    for instr in reversed(graph.instrs):
        if lookup(instr.op).random or any(v in live for v in instr.outputs):
            kept.append(instr)
            live.update(instr.values)
    result = graph.copy()
    result.instrs = kept[::-1]
    result.constants = {v: a for v, a in graph.constants.items() if v in live}
    return result
