"""Equal instructions are done once (common subexpressions)."""

from __future__ import annotations

from typing import Any

from ..graph.exact_numbers import exact
from ..graph.op_table import lookup
from ..graph.program import Graph, Instr, Value
from ..graph.rewriter import Rewriter


def merge_duplicates(graph: Graph) -> Graph:
    """Common subexpressions are computed once."""
    seen: dict[Any, Value] = {}

    def rule(r: Rewriter, instr: Instr) -> Any:
        if len(instr.outputs) != 1 or lookup(instr.op).random:
            return None
        key = (
            instr.op,
            tuple(id(x) if isinstance(x, Value) else exact(x) for x in instr.inputs),
            repr(sorted(instr.params.items(), key=lambda item: item[0])),
            instr.outputs[0].type,
        )
        found = seen.setdefault(key, instr.outputs[0])
        return None if found is instr.outputs[0] else found

    return Rewriter(graph).run(rule)
